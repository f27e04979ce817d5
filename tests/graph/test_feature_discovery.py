from __future__ import annotations

from typing import Any

from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster

RELEASE = "kubernetes:helm.sh/v3:Release"
NODE = "kubernetes:core/v1:NodePatch"
NAME = "c-node-feature-discovery-release"


def _graph(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site(changes)))


def _values(graph: Graph) -> Any:
    return graph.named(NAME, RELEASE).props["values"]


def test_it_is_there_once_and_in_no_operators_own_release() -> None:
    graph = _graph()
    others = [one.props["values"] for one in graph.of(RELEASE) if one.name != NAME]
    bundled = [values["nfd"]["enabled"] for values in others if "nfd" in values]
    assert bundled == [False]
    assert len([one for one in graph.of(RELEASE) if one.name == NAME]) == 1


def test_it_comes_after_the_nodes_labels_and_before_the_operator_that_goes_by_its_own() -> None:
    graph = _graph()
    discovery = graph.named(NAME, RELEASE)
    assert graph.waits_for(graph.named("c-gpu-operator-release", RELEASE), discovery)
    for node in graph.of(NODE):
        assert graph.waits_for(discovery, node), node.name


def test_its_agent_tolerates_every_pools_taints_and_the_control_planes() -> None:
    taints = [{"key": "team", "value": "ml"}]
    graph = _graph({("node_pools", 0, "taints"): taints, ("node_pools", 2, "taints"): taints})
    keys = {one["key"] for one in _values(graph)["worker"]["tolerations"]}
    assert {"node-role.kubernetes.io/control-plane", "nvidia.com/gpu", "team"} <= keys


def test_it_labels_network_adapters_and_gpus_by_their_vendor() -> None:
    pci = _values(_graph())["worker"]["config"]["sources"]["pci"]
    assert pci["deviceLabelFields"] == ["vendor"]
    assert {"0200", "0207", "0302"} <= set(pci["deviceClassWhitelist"])


def test_taking_it_away_leaves_the_labels_that_operators_go_by() -> None:
    assert _values(_graph())["postDeleteCleanup"] is False


def test_a_cluster_without_gpus_has_none() -> None:
    general = {"name": "general", "nodes": "cpu1", "cpus": 64, "memory": "250Gi"}
    graph = _graph({("node_pools",): [general], ("tenants",): []})
    assert NAME not in {one.name for one in graph.resources}
