"""The stripped schemas are schemas that a real API server takes, and that still bite."""

from __future__ import annotations

import pytest
from bare_cluster import CLUSTER_QUEUE, DRIVER, POLICY, QUEUE, BareCluster, Json
from helm_releases import VALUES, Releases
from lightkube.core.exceptions import ApiError

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.charts.facts import load_crds
from pulumi_gpu_cluster.catalog.charts import CHARTS


@pytest.mark.parametrize("chart", VALUES)
def test_every_crd_of_a_released_chart_is_served_as_a_structural_schema(
    bare: BareCluster, releases: Releases, chart: str
) -> None:
    conditions = bare.conditions_of_crds()
    for name in CHARTS[chart].crd_names:
        assert conditions[name]["Established"] == "True", name
        assert "NonStructuralSchema" not in conditions[name], name


@pytest.mark.parametrize("chart", sorted(set(STAND_INS) - set(VALUES)))
def test_a_real_api_server_takes_every_crd_of_the_other_charts(
    bare: BareCluster, chart: str
) -> None:
    there = bare.names("CustomResourceDefinition")
    for group in load_crds(chart).values():
        for crd in group:
            if crd["metadata"]["name"] not in there:
                # What is no structural schema is refused before anything is made of it.
                bare.create("CustomResourceDefinition", crd, dry_run=True)


@pytest.mark.parametrize(
    ("kind", "spec", "complaint"),
    [
        (DRIVER, {"driverType": "rocket", "image": "driver"}, "spec.driverType"),
        (POLICY, {"operator": {}}, "spec.driver: Required value"),
        (QUEUE, {"weight": "heavy"}, "spec.weight"),
        # Kept from a rule in CEL, whose message is gone.
        (
            CLUSTER_QUEUE,
            {
                "preemption": {
                    "reclaimWithinCohort": "Never",
                    "borrowWithinCohort": {"policy": "LowerPriority"},
                }
            },
            "spec.preemption",
        ),
    ],
)
def test_an_object_that_the_real_schema_refuses_is_refused(
    bare: BareCluster, releases: Releases, kind: str, spec: Json, complaint: str
) -> None:
    with pytest.raises(ApiError) as refused:
        bare.create(kind, {"metadata": {"name": "odd"}, "spec": spec}, dry_run=True)
    assert complaint in str(refused.value.status.message)
