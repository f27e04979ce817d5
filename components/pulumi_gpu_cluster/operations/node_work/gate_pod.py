"""Waits for the gate's pod on a node, and reads its verdict."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pulumi_gpu_cluster.operations.api_server import JOB, NODE, POD, ApiServer, NotThereError
from pulumi_gpu_cluster.operations.node_work.gate_job import (
    CONTAINER,
    Mode,
    job,
    job_name,
    wanted_devices,
)
from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec
from pulumi_gpu_cluster.operations.node_work.hold import gpu_pods
from pulumi_gpu_cluster.operations.node_work.verdict import Verdict, parse_verdict

_JOB_OF_POD: Final = "batch.kubernetes.io/job-name"
_ENDED: Final = ("Succeeded", "Failed")
_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Asking:
    """Where and for how long the gate asks.

    Attributes:
        access: The cluster.
        namespace: Namespace of the gate's objects.
        until: When to give up for this run, by the cluster's clock that only runs forward.
    """

    access: ApiServer
    namespace: str
    until: float

    def ask(self, name: str, mode: Mode, spec: GateSpec, config_map: str) -> Verdict | str:
        """Has the node looked at, or takes up a look that an earlier run began.

        Returns:
            The verdict, or the reason why there is none yet.
        """
        node = self.access.persist(lambda: self.access.get(NODE, name), f"read node {name}")
        asked = job_name(node, mode, spec)
        owner = self._job(asked, job(asked, name, mode, spec, config_map))
        pause = _PAUSE
        while True:
            pods = self._pods(asked, owner)
            ended = [pod for pod in pods if pod["status"].get("phase") in _ENDED]
            if ended or _is_over(owner):
                verdict = parse_verdict(_message(ended[0])) if ended else None
                if verdict is not None and verdict.mode == mode:
                    return verdict
                self.forget(asked)
                return f"its pod ended without a verdict{_why(ended)}"
            if self.access.now() + pause > self.until:
                return self._what_is_missing(name, mode, spec, pods)
            self.access.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
            owner = self._job(asked, job(asked, name, mode, spec, config_map))

    def forget(self, asked: str) -> None:
        """Takes a Job away, so that the next run asks anew."""
        with contextlib.suppress(NotThereError):
            self.access.persist(
                lambda: self.access.delete(JOB, asked, self.namespace), f"delete job {asked}"
            )

    def wait(self, condition: Callable[[], bool]) -> bool:
        """Whether a condition comes true in time."""
        pause = _PAUSE
        while not condition():
            if self.access.now() + pause > self.until:
                return False
            self.access.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return True

    def still_busy(self, name: str, *, evict: bool) -> str:
        """Waits for the pods that hold a node's GPUs to end.

        Args:
            name: The node.
            evict: Whether those that are left after half the wait are evicted.

        Returns:
            What goes on there still; empty where the node is free.
        """
        access, begun = self.access, self.access.now()

        def is_free() -> bool:
            busy = gpu_pods(access, name)
            if busy and evict and access.now() - begun > (self.until - begun) / 2:
                for pod in busy:
                    _evict(access, pod)
            return not busy

        if self.wait(is_free):
            return ""
        busy = gpu_pods(access, name)
        more = f" and {len(busy) - 1} more" if len(busy) > 1 else ""
        return f"{busy[0]}{more}" if busy else "its last pod"

    def _job(self, name: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The Job, made where it is not there."""

        def once() -> dict[str, Any]:
            try:
                return self.access.persist(
                    lambda: self.access.get(JOB, name, self.namespace), f"read job {name}"
                )
            except NotThereError:
                self.access.create(JOB, wanted, self.namespace)
                return self.access.get(JOB, name, self.namespace)

        return self.access.persist(once, f"make job {name} in namespace {self.namespace}")

    def _pods(self, name: str, owner: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The Job's own pods, whatever others with its label there may be."""
        found = self.access.persist(
            lambda: list(self.access.list(POD, {_JOB_OF_POD: name}, namespace=self.namespace)),
            f"list the pods of job {name}",
        )
        uid = owner["metadata"]["uid"]
        return [
            pod
            for pod in found
            if any(one["uid"] == uid for one in pod["metadata"].get("ownerReferences") or ())
        ]

    def _what_is_missing(
        self, name: str, mode: Mode, spec: GateSpec, pods: list[dict[str, Any]]
    ) -> str:
        node = self.access.persist(lambda: self.access.get(NODE, name), f"read node {name}")
        offered: Mapping[str, str] = node.get("status", {}).get("allocatable") or {}
        for resource, count in wanted_devices(mode, spec).items():
            there = int(offered.get(resource, "0"))
            if there < count:
                return f"the node offers {there} of {count} {resource}"
        return f"its pod {_waits(pods[0]) if pods else 'is not there yet'}"


def _evict(access: ApiServer, pod: str) -> None:
    """Asks a pod to go; one that a disruption budget keeps is asked again later."""
    namespace, _, name = pod.partition("/")
    access.persist(lambda: access.evict(name, namespace), f"evict pod {pod}")


def _is_over(owner: Mapping[str, Any]) -> bool:
    conditions: list[Mapping[str, str]] = owner.get("status", {}).get("conditions") or []
    return any(
        one["type"] in ("Complete", "Failed") and one["status"] == "True" for one in conditions
    )


def _message(pod: Mapping[str, Any]) -> str:
    message: str = _state(pod).get("terminated", {}).get("message") or ""
    return message


def _why(ended: list[dict[str, Any]]) -> str:
    if not ended:
        return ""
    state = _state(ended[0]).get("terminated", {})
    reason = state.get("reason") or ended[0]["status"].get("reason") or "no reason given"
    return f" ({reason}, exit code {state.get('exitCode', 'unknown')})"


def _waits(pod: Mapping[str, Any]) -> str:
    waiting = _state(pod).get("waiting", {})
    if waiting.get("reason") not in (None, "ContainerCreating"):
        return f"waits: {waiting['reason']} {waiting.get('message', '')}".strip()
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return f"waits: {condition.get('message', 'not scheduled')}"
    return "has not ended yet"


def _state(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    statuses: list[Mapping[str, Any]] = pod["status"].get("containerStatuses") or []
    for one in statuses:
        if one["name"] == CONTAINER:
            state: Mapping[str, Any] = one.get("state") or {}
            return state
    return {}
