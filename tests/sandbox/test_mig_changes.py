"""A pool gets another MIG layout by `pulumi up`: nodes at work, nodes that fail, and all others."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, Final, cast

import pytest
from lightkube import ApiError, Client
from lightkube.models.core_v1 import Container, PodSpec, ResourceRequirements, Toleration
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node, Pod
from sandbox_project import Project, RunningSite, bring_up, labels_of, taints_of

from gpu_cluster_sandbox.cluster import KUBERNETES_VERSION
from gpu_cluster_sandbox.nodes.failures import fail, mend
from gpu_cluster_sandbox.stack.overrides import write_working_copy

THREES: Final = "mig-3g.40gb"
TWOS: Final = "mig-2g.20gb"
LAYOUTS: Final = {THREES: "all-3g.40gb", TWOS: "all-2g.20gb"}
UNVERIFIED: Final = ("gpu-cluster.io/unverified", "", "NoSchedule")
CONFIG: Final = "nvidia.com/mig.config"
# A line of the engine about a resource that does not stay as it is.
CHANGED: Final = re.compile(r"^ [-+~]+ +\S+ (\S+) (?:updat|creat|delet|replac)", re.MULTILINE)
# Tenants without slices of the pool have a quota of none.
CHANGED_WITH_THE_LAYOUT: Final = {
    "cuts-gate-asks-serve",
    "cuts-gate-mig01",
    "cuts-gate-mig02",
    "cuts-gpu-operator-serve-hold",
    "cuts-gpu-operator-serve-waves",
    "cuts-kueue-cohort",
    "cuts-ml-team-queue-cluster-queue",
    "cuts-ml-team-quota",
    "cuts-serve",
    "cuts-vision-quota",
}


class Changes:
    """A site whose pool `serve` is cut in other ways, beside a pool with whole GPUs."""

    def __init__(self, project: Project, document: dict[str, Any]) -> None:
        self._document, self._project = copy.deepcopy(document), project
        self._site = self._document["config"]["gpu-cluster:site"]
        self._site["node_pools"][0]["nodes"] = "gpu01"
        self._site["node_pools"][2]["nodes"] = "cpu1"
        self._site["health"] = {"problem_detector": {"enabled": False}}
        self._site["tenants"] = [
            {"name": "ml-team", "group": "ml-team", "quota": {"serve": {THREES: 8}}},
            {"name": "vision", "group": "vision", "quota": {"train": {"gpu": 8}}},
        ]
        self._write(THREES, {})
        self.running: RunningSite = bring_up(project, "cuts")
        self.client: Client = self.running.client()

    def to(self, slices: str, **operations: object) -> set[str]:
        """Runs `pulumi up` with another layout for the pool.

        Returns:
            What did not stay as it was.
        """
        self._write(slices, operations)
        write_working_copy(self.running.workspace, KUBERNETES_VERSION)
        ran = self.running.pulumi("up", "--yes", "--skip-preview")
        assert ran.code == 0, ran.output
        return set(CHANGED.findall(ran.output))

    def _write(self, slices: str, operations: dict[str, object]) -> None:
        self._site["node_pools"][1]["mig"] = LAYOUTS[slices]
        self._site["tenants"][0]["quota"]["serve"] = {slices: 8}
        self._site["operations"] = {"wait": "30s", **operations}
        self._project.write_site(self._document, "cuts")

    @property
    def pending(self) -> list[str]:
        """What the stack's outputs say that is not done yet."""
        told = json.loads(self.running.pulumi("stack", "output", "--json").output)
        return cast("list[str]", told["pending"])

    def record(self, node: str) -> dict[str, str]:
        """What is known of a node, as it stands on it."""
        metadata = self.client.get(Node, node).metadata
        notes = cast("dict[str, str]", metadata.annotations or {}) if metadata else {}
        return cast("dict[str, str]", json.loads(notes["gpu-cluster.io/gate"]))

    def devices(self, node: str) -> dict[str, str]:
        """What a node offers, without what it offered once."""
        status = self.client.get(Node, node).status
        offered = cast("dict[str, str]", status.allocatable or {}) if status else {}
        prefix = "nvidia.com/"
        return {
            key.removeprefix(prefix): number
            for key, number in offered.items()
            if key.startswith(prefix) and number != "0"
        }

    def takes_work(self, node: str) -> bool:
        """Whether the gate lets pods come."""
        return UNVERIFIED not in taints_of(self.client, node)

    def work_on(self, node: str, slices: str) -> None:
        """Has a tenant's pod work with one of a node's slices."""
        limits = {"cpu": "1", "memory": "1Gi", f"nvidia.com/{slices}": "1"}
        resources = ResourceRequirements(limits=cast("Any", limits))
        spec = PodSpec(
            containers=[Container(name="main", image="example/image:1", resources=resources)],
            nodeSelector={"kubernetes.io/hostname": node},
            tolerations=[Toleration(key="nvidia.com/gpu", operator="Exists")],
        )
        self.client.create(Pod(metadata=ObjectMeta(name="infer"), spec=spec), namespace="ml-team")
        for _ in self.client.watch(Pod, namespace="ml-team", server_timeout=30):
            if self.phase() == "Running":
                return
        pytest.fail("the tenant's pod did not start")

    def phase(self) -> str:
        """How it stands with that pod; a deletion that has begun counts as no life."""
        pod = self.client.get(Pod, "infer", namespace="ml-team")
        assert pod.metadata is not None
        assert pod.status is not None
        return "Leaving" if pod.metadata.deletionTimestamp else pod.status.phase or ""

    def end_work(self) -> None:
        """Has that pod end."""
        self.client.delete(Pod, "infer", namespace="ml-team", grace_period=0)


@pytest.fixture(scope="module")
def changes(project: Project, sandbox_site: dict[str, Any]) -> Iterator[Changes]:
    yield Changes(project, sandbox_site)
    project.stop_everything()


def test_a_busy_node_waits_one_that_fails_is_held_and_both_go_on_at_the_next_run(
    changes: Changes,
) -> None:
    client = changes.client
    changes.work_on("mig01", THREES)
    fail(client, "mig02", "mig")
    changed = changes.to(TWOS)
    reasons = {
        "mig01": "MIG layout all-2g.20gb waits for ml-team/infer to end; no new work comes to "
        "the node",
        "mig02": "MIG layout all-2g.20gb: failed; the node takes no work",
    }
    states = {"mig01": "held", "mig02": "failed"}
    for node, reason in reasons.items():
        record = changes.record(node)
        assert (record["state"], record["reason"]) == (states[node], reason)
        assert not changes.takes_work(node)
        assert changes.devices(node) == {THREES: "16"}, "what it had before"
    assert changes.pending == [
        f"gate of node mig01: pending: {reasons['mig01']}",
        f"gate of node mig02: failed: {reasons['mig02']}",
    ]
    assert labels_of(client, "mig01")[CONFIG] == LAYOUTS[THREES], "nothing half-applied"
    assert changes.phase() == "Running"
    assert changed == CHANGED_WITH_THE_LAYOUT, "nothing of another pool"

    changes.end_work()
    mend(client, "mig02")
    changed = changes.to(TWOS)
    assert changes.pending == []
    for node in ("mig01", "mig02"):
        assert labels_of(client, node)[CONFIG] == LAYOUTS[TWOS]
        assert changes.devices(node) == {TWOS: "24"}
        assert changes.takes_work(node)
    assert changed == {"cuts-gate-mig01", "cuts-gate-mig02"}, "those that had come to no end"
    changes.work_on("mig01", TWOS)
    changes.end_work()


def test_where_the_site_says_evict_what_keeps_a_node_from_its_layout_goes_at_half_time(
    changes: Changes,
) -> None:
    changes.work_on("mig02", TWOS)
    changes.to(THREES, evict=True)
    assert changes.pending == []
    with pytest.raises(ApiError, match="not found"):
        changes.phase()
    assert changes.devices("mig02") == {THREES: "16"}
    assert changes.takes_work("mig02")
