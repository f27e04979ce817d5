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
