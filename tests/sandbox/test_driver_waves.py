"""A pool's drivers are upgraded by `pulumi up` and the GPU Operator's real controller."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from lightkube import Client, KubeConfig
from lightkube.resources.core_v1 import Node, Pod
from sandbox_project import Project, Ran, RunningSite, labels_of

from gpu_cluster_sandbox.cluster import KUBERNETES_VERSION
from gpu_cluster_sandbox.nodes.failures import fail, mend
from gpu_cluster_sandbox.stack.overrides import write_working_copy

OLD, NEW = "580.173.02", "595.91.07"
SKIP = "nvidia.com/gpu-driver-upgrade.skip"
STATE = "nvidia.com/gpu-driver-upgrade-state"
RECORD = "gpu-cluster.io/driver-upgrade"
# A line of the engine about a resource that does not stay as it is.
CHANGED = re.compile(r"^ [-+~]+ +\S+ (\S+) (?:updat|creat|delet|replac)", re.MULTILINE)
NODES = ("gpu01", "gpu02", "gpu03", "gpu04")


class Upgrades:
    """A site whose pool `train` gets other drivers."""

    def __init__(self, project: Project, document: dict[str, Any]) -> None:
        self._document, self._project = copy.deepcopy(document), project
        self._site = self._document["config"]["gpu-cluster:site"]
        self._site["operations"] = {"wait": "3m"}
        # What the waves are about: the gate verifies nodes after them, and has tests of its own.
        self._site["health"] = {"gate": {"enabled": False}, "problem_detector": {"enabled": False}}
        self._write(OLD)
        up = project.sandbox("up", "--site", "waves", "--with", "gpu-operator", timeout=500)
        assert up.code == 0, up.output
        self.running = RunningSite(project, "waves", up)

    def to(self, version: str) -> Ran:
        """Runs `pulumi up` with another driver for the pool."""
        self._write(version)
        write_working_copy(self.running.workspace, KUBERNETES_VERSION)
        ran = self.running.pulumi("up", "--yes", "--skip-preview")
        assert ran.code == 0, ran.output
        return ran

    def _write(self, version: str) -> None:
        upgrade = {"canary": "gpu02", "wave": 2}
        self._site["node_pools"][0]["driver"] = {"version": version, "upgrade": upgrade}
        self._project.write_site(self._document, "waves")

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs."""
        told: dict[str, Any] = json.loads(self.running.pulumi("stack", "output", "--json").output)
        return told


@pytest.fixture(scope="module")
def upgrades(project: Project, sandbox_site: dict[str, Any]) -> Iterator[Upgrades]:
    yield Upgrades(project, sandbox_site)
    project.stop_everything()


def drivers(client: Client) -> dict[str, str]:
    """The version of the driver pod on each node of the pool."""
    pods = cast("Any", client).list(
        Pod, namespace="gpu-operator", labels={"app.kubernetes.io/component": "nvidia-driver"}
    )
    found = {pod.spec.nodeName: pod.spec.containers[0].image for pod in pods}
    return {node: found[node].rpartition(":")[2].partition("-")[0] for node in NODES}


def notes_of(client: Client, node: str) -> dict[str, str]:
    metadata = client.get(Node, node).metadata
    return cast("dict[str, str]", metadata.annotations or {}) if metadata else {}


def test_a_failure_stops_the_waves_mending_goes_on_and_other_pools_stay_as_they_are(
    upgrades: Upgrades,
) -> None:
    client = Client(
        config=KubeConfig.from_file(upgrades.running.state / "kubeconfig"), field_manager="test"
    )
    assert set(drivers(client).values()) == {OLD}
    fail(client, "gpu03", "driver")
    ran = upgrades.to(NEW)
    stopped = drivers(client)
    assert (stopped["gpu02"], stopped["gpu04"]) == (NEW, OLD), "canary done, last wave untouched"
    assert labels_of(client, "gpu02")[STATE] == "upgrade-done"
    assert labels_of(client, "gpu04")[SKIP] == "true"
    assert labels_of(client, "mig01")[STATE] == "upgrade-done"
    (told,) = upgrades.outputs()["pending"]
    assert told.startswith(f"driver of pool train: failed: driver {NEW}: gpu03: ")
    assert "gpu04 keep their driver; fix: mend gpu03 and run pulumi up to go on" in told
    changed = set(CHANGED.findall(ran.output))
    assert changed == {
        "waves-train",
        "waves-gpu-operator-train",
        "waves-gpu-operator-train-hold",
        "waves-gpu-operator-train-waves",
    }, "nothing of another pool"
    mend(client, "gpu03")
    upgrades.to(NEW)
    assert set(drivers(client).values()) == {NEW}
    assert upgrades.outputs()["pending"] == []
    for node in NODES:
        assert SKIP not in labels_of(client, node)
        assert RECORD not in notes_of(client, node)
