"""Stages give custom resources the status that their operators would."""

from __future__ import annotations

import pytest
from bare_cluster import (
    CLUSTER_QUEUE,
    DRIVER,
    IPOIB,
    LOCAL_QUEUE,
    NIC_CLUSTER,
    NIC_NODE,
    NODE,
    POLICY,
    QUEUE,
    BareCluster,
    Json,
    until,
)
from helm_releases import Releases

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.nodes import show_nodes_to_operators
from gpu_cluster_sandbox.nodes.manifests import RDMA_NOTE
from gpu_cluster_sandbox.stages import operator_stages
from pulumi_gpu_cluster.catalog.charts import CHARTS

# Nobody waits for the status of these charts' objects, or its agents alone make them.
UNWATCHED = {
    "cert-manager",
    "jobset",
    "kube-prometheus-stack",
    "kubeflow-trainer",
    "node-feature-discovery",
}
SECTIONS = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd")
POLICY_SPEC: Json = {
    section: {} for section in (*SECTIONS, "nodeStatusExporter", "operator", "toolkit")
}


@pytest.mark.parametrize(
    ("kind", "spec", "status"),
    [
        (POLICY, POLICY_SPEC, {"state": "ready", "Ready": "True"}),
        (DRIVER, {"driverType": "gpu", "image": "driver"}, {"state": "ready", "Ready": "True"}),
        (NIC_CLUSTER, {"secondaryNetwork": {}}, {"state": "ready"}),
        (NIC_NODE, {"nodeSelector": {"a": "b"}}, {"state": "ready"}),
        (IPOIB, {"master": "ibs1"}, {"state": "ready"}),
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
    # The stages of CRDs in a chart of their own come with the operator that reads them.
    brought = {chart.crds_chart.name: name for name, chart in CHARTS.items() if chart.crds_chart}
    without = {
        name
        for name in STAND_INS
        if CHARTS[name].crds and not operator_stages(brought.get(name, name))
    }
    assert without <= UNWATCHED, "give its objects a status, or say here that nobody reads one"


def test_a_chart_without_stages_has_none() -> None:
    assert operator_stages("unheard-of") == []


def test_a_nodes_adapters_are_offered_once_it_is_shown_to_the_network_operator(
    bare: BareCluster, releases: Releases
) -> None:
    note = {RDMA_NOTE: '{"rdma/train": "63"}'}
    metadata = {"name": "fabric1", "annotations": {"kwok.x-k8s.io/node": "fake", **note}}
    bare.create(NODE, {"metadata": metadata, "status": {"capacity": {"cpu": "8"}}})
    show_nodes_to_operators(bare.client)

    def offered() -> bool:
        found: Json = bare.get(NODE, "fabric1").get("status", {}).get("allocatable", {})
        return found.get("rdma/train") == "63"

    until(offered, "fabric1 offers its adapters")
    bare.delete(NODE, "fabric1")
