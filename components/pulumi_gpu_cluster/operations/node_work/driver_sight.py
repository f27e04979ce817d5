"""What the nodes of a pool show of their drivers.

No single sign is believed: the operator's `upgrade-done` stays from the last upgrade until it has
noticed the next one, a driver pod is Ready while GPUs are missing, and labels of GPU Feature
Discovery outlive the driver that they speak of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.props import POOL_LABEL
from pulumi_gpu_cluster.operations.api_server import NODE, POD, ApiServer
from pulumi_gpu_cluster.operations.node_work.driver_record import (
    STATE_LABEL,
    DriverRecord,
    driver_record,
    is_skipped,
)
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec
from pulumi_gpu_cluster.operations.node_work.gate import DRIVER_LABEL
from pulumi_gpu_cluster.operations.node_work.gate_record import is_held, labels_of

# source: NVIDIA/gpu-operator v26.7.0: labels of the driver's and the validator's pods, the name of
# the container, and the label that says which NVIDIADriver a node belongs to
COMPONENT: Final = {"app.kubernetes.io/component": "nvidia-driver"}
CONTAINER: Final = "nvidia-driver-ctr"
_VALIDATOR: Final = {"app": "nvidia-operator-validator"}
_OWNER_LABEL: Final = "nvidia.com/gpu-operator.driver.owner"

DONE: Final = "upgrade-done"
FAILED: Final = "upgrade-failed"
REQUIRED: Final = "upgrade-required"
_NOT_BEGUN: Final = ("", DONE, REQUIRED)

_NO_IMAGE: Final = ("ImagePullBackOff", "InvalidImageName")
# The operator itself waits for ten restarts; three tell as much, half an hour earlier.
_RESTARTS: Final = 3


@dataclass(frozen=True, slots=True)
class Sight:
    """One node and the pods on it that have to do with its driver.

    Attributes:
        node: The node.
        driver: Its driver pod; None where there is none.
        validators: Pods in which the operator tries the node out.
    """

    node: Mapping[str, Any]
    driver: Mapping[str, Any] | None
    validators: Sequence[Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The node's name."""
        name: str = self.node["metadata"]["name"]
        return name

    @property
    def record(self) -> DriverRecord | None:
        """How far it is on its way; None for a node that is on none."""
        return driver_record(self.node)

    @property
    def state(self) -> str:
        """What the operator says, perhaps of an earlier upgrade."""
        return labels_of(self.node).get(STATE_LABEL, "")

    @property
    def running(self) -> str:
        """The version of its driver; empty where it has none that anybody knows of."""
        if self.driver is not None:
            return version_of_pod(self.driver["spec"])
        return labels_of(self.node).get(DRIVER_LABEL, "")

    @property
    def is_kept_by_others(self) -> bool:
        """Whether somebody else keeps it from every upgrade."""
        return is_skipped(self.node) and self.record is None

    @property
    def has_begun(self) -> bool:
        """Whether the operator has touched it in this upgrade."""
        return self.state not in _NOT_BEGUN

    @property
    def devices(self) -> dict[str, int]:
        """The GPU resources that it offers."""
        offered: Mapping[str, str] = self.node.get("status", {}).get("allocatable") or {}
        return {
            name: int(count)
            for name, count in offered.items()
            if name.startswith("nvidia.com/") and count.isdigit() and int(count)
        }

    def trouble(self, spec: DriverSpec) -> str:
        """Why it will not come by itself to the wanted driver; empty where it may."""
        owner = labels_of(self.node).get(_OWNER_LABEL, spec.pool)
        if owner != spec.pool:
            return f"NVIDIADriver {owner} has it, and not {spec.pool}: their selectors overlap"
        wrong = _wrong_with(self.driver) if self.running == spec.version else ""
        if self.state == FAILED:
            return f"the operator says {FAILED}{wrong and f', {wrong}'}"
        return wrong

    def lacks(self, spec: DriverSpec) -> str:
        """What it has to show yet to count as done; empty where it has shown everything."""
        if self.running != spec.version:
            return f"{self.state or 'not begun'}, driver {self.running or 'none'}"
        said = labels_of(self.node).get(DRIVER_LABEL, spec.version)
        if said != spec.version:
            return f"GPU Feature Discovery says {said} yet"
        if self.driver is not None and not _is_ready(self.driver):
            return "its driver pod is not ready"
        if self.state != DONE:
            return self.state or "the operator says nothing of it"
        if not any(_is_ready(pod) for pod in self.validators):
            return "the operator's validator is not ready on it"
        return self._missing(spec)

    def _missing(self, spec: DriverSpec) -> str:
        # On a node that is not verified yet the gate decides what it offers, and counts it.
        if is_held(self.node):
            return ""
        # What it had, not what its pool is to have: a new layout comes after the driver.
        record, there = self.record, self.devices
        before: Mapping[str, int] = record.devices if record is not None else {}
        for resource, count in (before or spec.devices).items():
            if there.get(resource, 0) < count:
                return f"it offers {there.get(resource, 0)} of {count} {resource}"
        return ""


def look_at(access: ApiServer, pool: str, namespace: str) -> list[Sight]:
    """Looks at every node of a pool.

    Args:
        access: The cluster.
        pool: Name of the pool, by whose label its nodes are found.
        namespace: Namespace of the GPU Operator.

    Raises:
        AccessError: The API server refuses or cannot be reached.
    """
    nodes = access.persist(
        lambda: list(access.list(NODE, {POOL_LABEL: pool})), f"list the nodes of pool {pool}"
    )
    drivers = _by_node(access, COMPONENT, namespace)
    validators = _by_node(access, _VALIDATOR, namespace)
    return [
        Sight(node, _newest(drivers.get(name, ())), validators.get(name, ()))
        for node in nodes
        for name in (node["metadata"]["name"],)
    ]


def version_of_pod(spec: Mapping[str, Any]) -> str:
    """The driver's version by the tag of its image: 580.173.02 of driver:580.173.02-ubuntu24.04."""
    for container in spec["containers"]:
        if container["name"] == CONTAINER:
            tag: str = container["image"].partition("@")[0].rpartition(":")[2]
            return tag.partition("-")[0]
    return ""


def _by_node(
    access: ApiServer, labels: Mapping[str, str], namespace: str
) -> dict[str, list[Mapping[str, Any]]]:
    found = access.persist(
        lambda: list(access.list(POD, labels, namespace=namespace)),
        f"list the pods of namespace {namespace}",
    )
    pods: dict[str, list[Mapping[str, Any]]] = {}
    for pod in found:
        pods.setdefault(pod["spec"].get("nodeName", ""), []).append(pod)
    return pods


def _newest(pods: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The pod that stays, or the one that goes where no other is there yet."""
    staying = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    return next(iter(staying or pods), None)


def _is_ready(pod: Mapping[str, Any]) -> bool:
    if "deletionTimestamp" in pod["metadata"]:
        return False
    conditions: Sequence[Mapping[str, str]] = pod.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _wrong_with(pod: Mapping[str, Any] | None) -> str:
    """What keeps a driver pod from ever getting ready, as far as can be seen."""
    status: Mapping[str, Any] = pod.get("status", {}) if pod is not None else {}
    of_all: list[Mapping[str, Any]] = [
        *(status.get("initContainerStatuses") or ()),
        *(status.get("containerStatuses") or ()),
    ]
    for one in of_all:
        state: Mapping[str, Any] = one.get("state") or {}
        waiting: Mapping[str, str] = state.get("waiting") or {}
        reason = waiting.get("reason", "")
        loops = reason == "CrashLoopBackOff" and one.get("restartCount", 0) >= _RESTARTS
        if loops or reason in _NO_IMAGE:
            return f"{one['name']}: {reason} {waiting.get('message', '')}".strip()
    return ""
