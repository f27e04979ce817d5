from __future__ import annotations

import json
from typing import Any

from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster, ProblemDetector

RELEASE = "kubernetes:helm.sh/v3:Release"


def _detector(changes: Changes | None = None) -> Any:
    one = site(changes)
    graph = record(
        lambda: ProblemDetector(
            "d", one.health.problem_detector, pools=one.node_pools, opts=provider_options("d")
        )
    )
    return graph.named("d-release", RELEASE).props["values"]


def _cluster(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site(changes)))


def test_the_detector_reads_what_gpus_say_in_the_kernels_log() -> None:
    settings = _detector()["settings"]
    (name,) = settings["custom_monitor_definitions"]
    assert f"/custom-config/{name}" in settings["log_monitors"]
    assert json.loads(settings["custom_monitor_definitions"][name])["logPath"] == "/dev/kmsg"


def test_the_detector_stays_on_nodes_whatever_their_taints() -> None:
    evicting = [{"key": "team", "value": "ml", "effect": "NoExecute"}]
    assert _detector({("node_pools", 0, "taints"): evicting})["tolerations"] == [
        {"operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoExecute"},
    ]


def test_a_site_can_do_without_the_detector() -> None:
    off: Changes = {("health",): {"problem_detector": {"enabled": False}}}
    releases = {one.name for one in _cluster(off).of(RELEASE)}
    assert "c-problem-detector-release" not in releases
    assert "c-problem-detector-release" in {one.name for one in _cluster().of(RELEASE)}


GATE = "command:local:Command"
NODE = "kubernetes:core/v1:NodePatch"


def _gates(graph: Graph) -> dict[str, Any]:
    return {
        one.name: one.props
        for one in graph.of(GATE)
        if one.props["create"].startswith("gpu-cluster node gate ")
    }


def test_every_gpu_node_that_the_site_names_has_a_hold_before_its_label_and_a_gate_after() -> None:
    graph = _cluster()
    assert set(_gates(graph)) == {"c-gate-gpu01", "c-gate-gpu02", "c-gate-mig01"}
    operator = graph.named("c-gpu-operator-release", RELEASE)
    for node in ("gpu01", "gpu02", "mig01"):
        label = graph.named(f"c-{node}", NODE)
        assert graph.waits_for(label, graph.named(f"c-{node}-hold", GATE))
        gate = graph.named(f"c-gate-{node}", GATE)
        assert graph.waits_for(gate, label)
        assert graph.waits_for(gate, operator)


def test_the_taint_is_nowhere_in_the_state_but_in_what_tolerates_it() -> None:
    for one in _cluster().resources:
        text = json.dumps(one.props, default=str)
        assert '"key": "gpu-cluster.io/unverified", "effect"' not in text, one.urn
        assert "gpu-cluster.io/unverified" not in one.props.get("create", ""), one.urn


def test_the_layout_of_a_gated_node_is_left_to_the_gate() -> None:
    graph = _cluster()
    labels = graph.named("c-mig01", NODE).props["metadata"]["labels"]
    assert "nvidia.com/mig.config" not in labels
    asks = graph.named("c-gate-asks-serve", "kubernetes:core/v1:ConfigMap").props["data"]
    asked = json.loads(asks["gate.json"])
    assert asked["layout"] == "all-3g.40gb"
    assert asked["slices"] == {"nvidia.com/mig-3g.40gb": 16}
    assert asked["gpus"] == 8


SHARED: Changes = {("node_pools", 0, "sharing"): {"kind": "time-slicing", "replicas": 4}}
PLUGIN_CONFIG = "nvidia.com/device-plugin.config"


def test_a_gated_node_is_shared_by_the_gate_and_otherwise_by_its_label() -> None:
    gated = _cluster(SHARED)
    assert PLUGIN_CONFIG not in gated.named("c-gpu01", NODE).props["metadata"]["labels"]
    asks = gated.named("c-gate-asks-train", "kubernetes:core/v1:ConfigMap").props["data"]
    assert json.loads(asks["gate.json"])["sharing"] == "time-slicing-4"
    free = _cluster({**SHARED, ("health",): {"gate": {"enabled": False}}})
    labels = free.named("c-gpu01", NODE).props["metadata"]["labels"]
    assert labels[PLUGIN_CONFIG] == "time-slicing-4"


def test_the_gate_asks_each_node_for_what_that_node_is_cut_into() -> None:
    own = {"nodes": "gpu02", "devices": {"0-3": {"3g.40gb": 2}}}
    mig = {"layouts": [own], "layout": "all-disabled"}
    wants = {
        name: json.loads(props["environment"]["GPU_CLUSTER_GATE_WANTS"])
        for name, props in _gates(_cluster({("node_pools", 0, "mig"): mig})).items()
    }
    assert wants["c-gate-gpu01"]["slices"] == {}
    assert wants["c-gate-gpu02"]["slices"] == {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/gpu": 4}
    assert wants["c-gate-gpu02"]["layout"].startswith("custom-")


def test_a_site_without_the_gate_has_its_layouts_at_once() -> None:
    graph = _cluster({("health",): {"gate": {"enabled": False}}})
    assert not _gates(graph)
    assert not [one for one in graph.of(GATE) if " hold " in one.props["create"]]
    labels = graph.named("c-mig01", NODE).props["metadata"]["labels"]
    assert labels["nvidia.com/mig.config"] == "all-3g.40gb"


def test_nodes_found_by_a_selector_are_never_touched() -> None:
    graph = _cluster(
        {
            ("node_pools", 0, "nodes"): None,
            ("node_pools", 0, "selector"): {"cloud/pool": "h100"},
            ("node_pools", 0, "count"): 2,
        }
    )
    assert set(_gates(graph)) == {"c-gate-mig01"}


def test_a_hold_never_runs_a_second_time_and_gives_the_node_back_in_the_end() -> None:
    hold = _cluster().named("c-gpu01-hold", GATE).props
    assert hold["delete"] == f"{hold['create']} --remove"
    assert set(hold["environment"]) == {"GPU_CLUSTER_KUBECONFIG"}


def test_what_came_to_no_end_is_told_and_makes_the_next_run_ask_again() -> None:
    last = {"gates": {"gpu01": {"state": "pending", "reason": "driver", "attempt": 3.0}}}
    graph = record(lambda: GpuCluster("c", site()), last_outputs=last)
    attempts = {
        name: props["environment"]["GPU_CLUSTER_GATE_ATTEMPT"]
        for name, props in _gates(graph).items()
    }
    assert attempts == {"c-gate-gpu01": "3", "c-gate-gpu02": "0", "c-gate-mig01": "0"}


def test_a_run_waits_for_a_node_as_long_as_the_site_says() -> None:
    gates = _gates(_cluster({("operations",): {"wait": "2h"}}))
    assert gates["c-gate-gpu01"]["create"] == "gpu-cluster node gate gpu01 --json --wait 2h"


def test_pods_are_evicted_for_another_layout_only_where_the_site_says_so() -> None:
    evicting = _gates(_cluster({("operations",): {"evict": True}}))
    assert all(props["create"].endswith(" --wait 30m --evict") for props in evicting.values())
    assert not any("--evict" in props["create"] for props in _gates(_cluster()).values())


def test_the_gates_namespace_allows_nothing_of_the_host() -> None:
    home = _cluster().named("c-gate-namespace", "kubernetes:core/v1:Namespace")
    assert home.props["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
