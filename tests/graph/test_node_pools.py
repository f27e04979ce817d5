from __future__ import annotations

import json
from typing import Any

import pulumi
import pytest
from component_cases import provider_options
from graph_sites import KUBECONFIG, site
from recorded_graph import Graph, is_secret, record

from pulumi_gpu_cluster import ClusterAccess, NodePool
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

NODE = "kubernetes:core/v1:NodePatch"
COMMAND = "command:local:Command"


def _graph(pool: NodePoolArgs, access: ClusterAccess | None = None, **labels: str) -> Graph:
    return record(
        lambda: NodePool(
            "p",
            pool,
            access=access,
            labels=labels,
            node_scope="lab",
            opts=provider_options("p"),
        )
    )


def _labels(graph: Graph, node: str) -> Any:
    return graph.named(f"lab-{node}", NODE).props["metadata"]["labels"]


def _pool(**changes: Any) -> NodePoolArgs:
    return site({("node_pools", 0, key): value for key, value in changes.items()}).node_pools[0]


def test_each_node_carries_the_name_of_its_pool_and_the_pools_own_labels() -> None:
    graph = _graph(_pool(labels={"rack": "r7"}))
    assert {one.name for one in graph.of(NODE)} == {"lab-gpu01", "lab-gpu02"}
    assert _labels(graph, "gpu02") == {"gpu-cluster.io/pool": "train", "rack": "r7"}


def test_a_mig_pool_asks_mig_manager_for_its_layout() -> None:
    graph = _graph(site().node_pools[1])
    assert _labels(graph, "mig01")["nvidia.com/mig.config"] == "all-3g.40gb"


def test_nodes_of_one_pool_ask_each_for_its_own_layout() -> None:
    own = {"nodes": "gpu02", "devices": {"0-3": {"3g.40gb": 2}}}
    graph = _graph(_pool(mig={"layouts": [own], "layout": "all-disabled"}))
    assert _labels(graph, "gpu01")["nvidia.com/mig.config"] == "all-disabled"
    assert _labels(graph, "gpu02")["nvidia.com/mig.config"].startswith("custom-")


@pytest.mark.parametrize("source", ["host", "managed"])
def test_a_driver_that_the_machine_brings_keeps_the_operator_away(source: str) -> None:
    labels = _labels(_graph(_pool(driver={"source": source, "version": "580.173.02"})), "gpu01")
    assert labels["nvidia.com/gpu.deploy.driver"] == "false"
    assert labels["nvidia.com/gpu.deploy.container-toolkit"] == "false"


def test_labels_that_other_concerns_need_are_put_on_every_node() -> None:
    assert _labels(_graph(_pool(), group="g"), "gpu01")["group"] == "g"


def test_a_label_that_somebody_else_wrote_first_gives_way() -> None:
    annotations = _graph(_pool()).of(NODE)[0].props["metadata"]["annotations"]
    assert annotations["pulumi.com/patchForce"] == "true"
    assert annotations["pulumi.com/patchFieldManager"] == "gpu-cluster-node-pool"


def test_a_pool_found_by_a_selector_has_no_resources_of_its_nodes() -> None:
    graph = _graph(_pool(nodes=None, selector={"cloud/pool": "h100"}, count=2))
    assert not graph.of(NODE)
    assert not graph.of(COMMAND)


def test_taints_are_written_by_a_command_for_each_node_after_its_labels() -> None:
    graph = _graph(_pool())
    command = graph.named("lab-gpu01-taints", COMMAND)
    assert json.loads(command.props["environment"]["GPU_CLUSTER_TAINTS"]) == [
        {"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}
    ]
    assert graph.waits_for(command, graph.named("lab-gpu01", NODE))


def test_a_node_that_was_made_anew_gets_its_taints_again() -> None:
    for command in _graph(_pool()).of(COMMAND):
        assert "GPU_CLUSTER_NODE_UID" in command.props["environment"]


def test_updating_taints_is_creating_them_and_nothing_ever_replaces_the_command() -> None:
    for command in _graph(_pool()).of(COMMAND):
        assert command.props["create"] == command.props["update"]
        assert command.props["delete"] == f"{command.props['create']} --remove"
        assert "triggers" not in command.props, "a replacement would take the taints off and on"


def test_the_command_is_the_same_text_on_every_machine() -> None:
    for command in _graph(_pool()).of(COMMAND):
        assert command.props["create"].split()[0] == "gpu-cluster"
        assert "dir" not in command.props
        assert "/" not in command.props["create"]


def test_the_command_gets_the_kubeconfig_as_a_secret_on_standard_input() -> None:
    graph = _graph(_pool(), ClusterAccess(kubeconfig=pulumi.Output.secret(KUBECONFIG)))
    command = graph.named("lab-gpu01-taints", COMMAND)
    assert is_secret(command.wire["stdin"])
    assert command.props["environment"]["GPU_CLUSTER_KUBECONFIG"] == "-"


def test_the_command_gets_a_kubeconfig_file_by_its_path() -> None:
    access = ClusterAccess(kubeconfig_file="admin.conf", context="lab")
    command = _graph(_pool(), access).named("lab-gpu01-taints", COMMAND)
    assert command.props["environment"]["KUBECONFIG"] == "admin.conf"
    assert command.props["create"].endswith("--context lab")


def test_a_pool_without_taints_runs_no_commands() -> None:
    assert not _graph(site().node_pools[2]).of(COMMAND)


def test_policies_see_what_the_pool_is_made_of() -> None:
    graph = _graph(site().node_pools[1])
    props = graph.named("p", "gpu-cluster:node-pools:NodePool").props
    assert props["gpu"] == {"model": "A100-SXM4-80GB", "count": 8}
    assert props["mig"] == {"layout": "all-3g.40gb", "strategy": "mixed"}
    assert props["resources"] == {"nvidia.com/mig-3g.40gb": 16}
    assert dict(graph.outputs)[graph.named("p", "gpu-cluster:node-pools:NodePool").urn] == {
        **props,
        "nodes": 1,
        "most": 1,
    }, "how many nodes there are is no input: one more must not change the pool"
