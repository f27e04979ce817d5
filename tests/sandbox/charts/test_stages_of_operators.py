"""Stages give custom resources the status that their operators would."""

from __future__ import annotations

import pytest
from bare_cluster import (
    CLUSTER_QUEUE,
    DRIVER,
    LOCAL_QUEUE,
    POLICY,
    QUEUE,
    BareCluster,
    Json,
    until,
)
from helm_releases import Releases

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.stages import operator_stages
from pulumi_gpu_cluster.catalog.charts import CHARTS

_DISCOVERY = "node-feature-discovery"
SECTIONS = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd")
POLICY_SPEC: Json = {
    section: {} for section in (*SECTIONS, "nodeStatusExporter", "operator", "toolkit")
}


@pytest.mark.parametrize(
    ("kind", "spec", "status"),
    [
        (POLICY, POLICY_SPEC, {"state": "ready", "Ready": "True"}),
        (DRIVER, {"driverType": "gpu", "image": "driver"}, {"state": "ready", "Ready": "True"}),
        (QUEUE, {"parent": "root", "weight": 3}, {"state": "Open"}),
        (CLUSTER_QUEUE, {"namespaceSelector": {}}, {"Active": "True"}),
        (LOCAL_QUEUE, {"clusterQueue": "team"}, {"Active": "True"}),
    ],
)
def test_an_object_gets_its_operators_status(
    bare: BareCluster, releases: Releases, kind: str, spec: Json, status: dict[str, str]
) -> None:
    namespace = "default" if kind == LOCAL_QUEUE else None
    bare.create(kind, {"metadata": {"name": "a-team", "namespace": namespace}, "spec": spec})

    def as_expected() -> bool:
        found: Json = bare.get(kind, "a-team", namespace).get("status") or {}
        conditions: list[dict[str, str]] = found.get("conditions", [])
        said = {condition["type"]: condition["status"] for condition in conditions}
        return status.items() <= {**found, **said}.items()

    until(as_expected, f"{kind} has {status}")
    bare.delete(kind, "a-team", namespace)


def test_every_chart_with_custom_resources_has_stages() -> None:
    # Feature discovery's objects are its agents' own, and wait for nobody.
    operators = [name for name in STAND_INS if CHARTS[name].crds and name != _DISCOVERY]
    assert all(operator_stages(chart) for chart in operators)


def test_a_chart_without_stages_has_none() -> None:
    assert operator_stages("unheard-of") == []
