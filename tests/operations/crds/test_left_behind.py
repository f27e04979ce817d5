"""Which CRDs Helm leaves as they are: held against the releases that a site makes."""

from __future__ import annotations

from typing import Any

import pytest
from graph_sites import site
from recorded_graph import record
from site_variants import VARIANTS

from gpu_cluster_sandbox.charts.facts import load_facts
from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.catalog.charts import CHARTS, CrdDelivery
from pulumi_gpu_cluster.operations.crds.left_behind import folder_crds

RELEASE = "kubernetes:helm.sh/v3:Release"


def _on(chart: str, subchart: str, values: dict[str, Any]) -> bool:
    """Whether a bundled chart is on by the values of a release; those of crds are by default."""
    (found,) = [one for one in load_facts(chart).dependencies if one.key == subchart]
    first, last = found.condition.split(".")
    section: dict[str, Any] = values.get(first, {})
    return bool(section.get(last, subchart == "crds"))


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_folder_of_crds_that_a_release_brings_is_known_and_no_other(variant: str) -> None:
    made = site(VARIANTS[variant])
    graph = record(lambda: GpuCluster("c", made))
    expected = {
        (chart.name, crds.subchart)
        for release in graph.of(RELEASE)
        for chart in [CHARTS[release.props["name"]]]
        for crds in chart.crds
        if crds.delivery is CrdDelivery.CRDS_FOLDER
        and (not crds.subchart or _on(chart.name, crds.subchart, release.props["values"]))
    }
    assert {(one.chart.name, one.crds.subchart) for one in folder_crds(made)} == expected
    assert expected, "Node Feature Discovery is in each"
