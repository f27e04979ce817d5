from __future__ import annotations

from typing import Any

import pytest
from component_cases import MAKERS
from graph_sites import Changes, site
from recorded_graph import Graph, is_secret, plain_texts, record
from site_variants import VARIANTS

from pulumi_gpu_cluster import GpuCluster

NODE = "kubernetes:core/v1:NodePatch"
DRIVER = "kubernetes:nvidia.com/v1alpha1:NVIDIADriver"
SCHEDULERS = ["kueue", "volcano"]


def _graph(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site(changes)))


def _added_node(kind: str, pool: int) -> tuple[Graph, Graph]:
    """The site before and after one node more, its numbers of nodes being no concern."""
    scheduler: Changes = {("scheduler",): {"kind": kind}}
    names = {0: "gpu[01-03]", 2: "cpu[1-2]"}
    return _graph(scheduler), _graph({**scheduler, ("node_pools", pool, "nodes"): names[pool]})


def test_type_tokens_stay_as_they_are_in_users_state() -> None:
    tokens = {
        one.type
        for changes in VARIANTS.values()
        for one in _graph(changes).resources
        if one.type.startswith("gpu-cluster:")
    }
    assert tokens == set(MAKERS)


def test_two_clusters_in_one_stack_share_nothing() -> None:
    other: Changes = {("name",): "den", ("control_plane", "kubeconfig"): "other"}
    graph = record(lambda: (GpuCluster("a", site()), GpuCluster("b", site(other))))
    urns = [one.urn for one in graph.resources]
    assert len(urns) == len(set(urns))
    providers = {one.provider for one in graph.resources if one.type.startswith("kubernetes:")}
    assert len(providers) == 2
    for one in graph.resources:
        if one.type.startswith("kubernetes:"):
            assert one.name.startswith(f"{one.provider.rpartition('::')[2][0]}-"), one.urn


@pytest.mark.parametrize("kind", SCHEDULERS)
@pytest.mark.parametrize("pool", [0, 2])
def test_a_node_more_adds_that_nodes_resources_and_no_others(kind: str, pool: int) -> None:
    before, after = _added_node(kind, pool)
    new = after.names() - before.names()
    gpu = {"c-gpu03-hold", "c-gpu03", "c-gpu03-taints", "c-gate-gpu03"}
    assert {name for _, name in new} == (gpu if pool == 0 else {"c-cpu2"})
    assert not before.names() - after.names()


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_a_node_more_changes_nothing_but_what_there_is_to_lend(kind: str) -> None:
    before, after = _added_node(kind, 0)
    old = {one.urn: one.props for one in before.resources}
    changed = {one.type for one in after.resources if one.urn in old and one.props != old[one.urn]}
    allowed = {"kubernetes:kueue.x-k8s.io/v1beta2:Cohort"} if kind == "kueue" else set[str]()
    assert changed == allowed


def test_a_node_that_moves_to_another_pool_is_changed_in_place() -> None:
    before = _graph()
    after = _graph(
        {
            ("node_pools", 0, "nodes"): "gpu01",
            ("node_pools", 1, "nodes"): "gpu02,mig01",
            ("node_pools", 1, "taints"): [{"key": "nvidia.com/gpu", "value": "present"}],
        }
    )
    for name in ("c-gpu02", "c-gpu02-taints"):
        assert [one.urn for one in before.resources if one.name == name] == [
            one.urn for one in after.resources if one.name == name
        ]


def test_no_node_is_labelled_before_the_guard_against_phantoms_is_there() -> None:
    graph = _graph()
    api = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding"
    for node in graph.of(NODE):
        assert graph.waits_for(node, graph.named("c-node-guard-binding", api)), node.name


def test_labels_come_before_the_operator_that_obeys_them() -> None:
    graph = _graph()
    release = graph.named("c-gpu-operator-release", "kubernetes:helm.sh/v3:Release")
    for node in graph.of(NODE):
        assert graph.waits_for(release, node), node.name


def test_barriers_stand_between_components_and_not_between_all_their_children() -> None:
    graph = _graph({("node_pools", 0, "nodes"): "gpu[001-200]"})
    waiting = [one for one in graph.resources if len(one.dependencies) > 20]
    assert {one.type for one in waiting} <= {
        "gpu-cluster:gpu-operator:GpuOperator",
        "gpu-cluster:network:NetworkOperator",
        "gpu-cluster:network:NodeFeatureDiscovery",
    }


def test_a_cluster_without_gpus_has_no_gpu_operator() -> None:
    general = {"name": "general", "nodes": "cpu1", "cpus": 64, "memory": "250Gi"}
    graph = _graph({("node_pools",): [general], ("tenants",): []})
    assert not graph.of("gpu-cluster:gpu-operator:GpuOperator")


def test_a_removed_tenant_has_nothing_left() -> None:
    graph = _graph({("tenants", 1, "state"): "removed", ("tenants", 1, "confirm"): "vision"})
    assert not [one for one in graph.resources if "vision" in one.name]


def test_no_secret_of_the_site_is_in_plain_state() -> None:
    graph = _graph()
    for one in graph.resources:
        assert not [text for text in plain_texts(one.wire) if "planted-token" in text], one.urn


def test_the_stack_says_what_a_summary_needs() -> None:
    found: dict[str, Any] = {}

    def program() -> None:
        found.update(GpuCluster("c", site()).outputs)

    record(program)
    kubeconfig = found.pop("kubeconfig")
    assert found["site"] == "lab"
    assert found["versions"] == {
        "kubernetes": "1.36.3",
        "gpu_operator": "v26.7.0",
        "kueue": "0.19.2",
    }
    assert found["pools"][1] == {
        "name": "serve",
        "nodes": 1,
        "devices": {"nvidia.com/mig-3g.40gb": 16},
        "gpu": {"model": "A100-SXM4-80GB", "count": 8},
        "driver": "595.91.07",
        "mig": "all-3g.40gb",
    }
    ml = found["tenants"][0]
    assert (ml["name"], ml["namespace"], ml["state"], ml["queue"]) == (
        "ml",
        "ml",
        "active",
        "default",
    )
    assert ml["quota"]["requests.nvidia.com/gpu"] == "12"
    assert kubeconfig is not None


def test_the_stack_says_which_queues_a_tenants_jobs_may_name() -> None:
    found: dict[str, Any] = {}

    def program() -> None:
        found.update(GpuCluster("c", site({("scheduler",): {"kind": "volcano"}})).outputs)

    record(program)
    assert found["tenants"][0]["queue"] == "ml.train, ml.serve, ml.general"


def test_the_kubeconfig_output_is_a_secret() -> None:
    graph = _graph()
    provider = graph.named("c-control-plane-kubernetes", "pulumi:providers:kubernetes")
    assert is_secret(provider.wire["kubeconfig"])
