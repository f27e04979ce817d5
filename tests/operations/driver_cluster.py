"""A pool of GPU nodes whose drivers a played operator upgrades, a step each time somebody waits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from api_stub import Clock, api_server, status

from pulumi_gpu_cluster.operations.api_server import ApiServer
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec

OLD: Final = "580.173.02"
NEW: Final = "595.91.07"
SKIP: Final = "nvidia.com/gpu-driver-upgrade.skip"
STATE: Final = "nvidia.com/gpu-driver-upgrade-state"
RECORD: Final = "gpu-cluster.io/driver-upgrade"
NAMESPACE: Final = "gpu-operator"

_NEXT: Final = {
    "cordon-required": "wait-for-jobs-required",
    "wait-for-jobs-required": "pod-restart-required",
    "pod-restart-required": "validation-required",
    "validation-required": "uncordon-required",
    "uncordon-required": "upgrade-done",
}


def spec(version: str = NEW, **changes: Any) -> DriverSpec:
    """What is wanted of the pool, with changes."""
    wanted: dict[str, Any] = {
        "canary": ["gpu1"],
        "wave": "2",
        "devices": {"nvidia.com/gpu": 8},
    }
    return DriverSpec(pool="train", version=version, namespace=NAMESPACE, **{**wanted, **changes})


@dataclass
class PlayedNode:
    """One node.

    Attributes:
        pod: Version of its driver pod; empty where it has none.
        busy: Whether a job runs on it that does not end.
        bad: Whether no driver but the old one gets ready on it.
        gpus: GPUs that it offers.
        validated: Whether the operator's validator is ready on it.
    """

    pod: str = OLD
    busy: bool = False
    bad: bool = False
    gpus: int = 8
    validated: bool = True
    labels: dict[str, str] = field(default_factory=lambda: {STATE: "upgrade-done"})
    annotations: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def state(self) -> str:
        return self.labels.get(STATE, "")

    @property
    def skipped(self) -> bool:
        return self.labels.get(SKIP) == "true"

    @property
    def record(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.annotations.get(RECORD, "{}"))
        return read

    @property
    def crashes(self) -> bool:
        return self.bad and self.pod != OLD


@dataclass
class DriverCluster:
    """The cluster.

    Attributes:
        names: Its nodes.
        brings: Version that the operator's DaemonSet brings.
        told: Version that the NVIDIADriver names.
        lag: Steps until the operator notices a change of the NVIDIADriver.
        operator: The operator's own version.
        began: Nodes in the order in which the operator began them.
    """

    names: tuple[str, ...] = ("gpu1", "gpu2", "gpu3", "gpu4", "gpu5")
    brings: str = OLD
    told: str = OLD
    lag: int = 2
    operator: str = "v26.7.0"
    began: list[str] = field(default_factory=list[str])
    nodes: dict[str, PlayedNode] = field(default_factory=dict[str, PlayedNode])
    clock: Clock = field(default_factory=Clock)
    writes: int = 0

    def __post_init__(self) -> None:
        self.nodes = {name: PlayedNode() for name in self.names}

    def access(self) -> ApiServer:
        """The way in; time moves the operator on."""
        access = api_server(self.answer, self.clock)
        return ApiServer(access.client, access.server, sleep=self._sleep, now=self.clock.now)

    def versions(self) -> dict[str, str]:
        """The version of each node's driver pod."""
        return {name: node.pod for name, node in self.nodes.items()}

    def held(self) -> set[str]:
        """The nodes that the operator leaves alone."""
        return {name for name, node in self.nodes.items() if node.skipped}

    def _sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        if self.brings != self.told:
            self.lag -= 1
            if self.lag <= 0:
                self.brings, self.lag = self.told, 2
            return
        for name, node in self.nodes.items():
            self._operate(name, node)

    def _operate(self, name: str, node: PlayedNode) -> None:
        state = node.state
        if state in ("", "upgrade-done"):
            synced = node.pod in ("", self.brings)
            node.labels[STATE] = "upgrade-done" if synced else "upgrade-required"
        elif state == "upgrade-required":
            if not node.skipped:
                self.began.append(name)
                node.labels[STATE] = "cordon-required"
        elif state == "pod-restart-required" and node.pod != self.brings:
            node.pod = self.brings
        elif state in _NEXT and not _stays(state, node):
            node.labels[STATE] = _NEXT[state]

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Does what an API server would do."""
        path, query = request.url.path, request.url.params
        if path == "/api/v1/nodes":
            assert query["labelSelector"] == "gpu-cluster.io/pool=train"
            return _items([self._node(name) for name in self.names])
        if path.startswith("/api/v1/nodes/"):
            return self._patch(request, path.rpartition("/")[2])
        if path == f"/api/v1/namespaces/{NAMESPACE}/pods":
            is_driver = query["labelSelector"].endswith("=nvidia-driver")
            return _items(self._drivers() if is_driver else self._validators())
        if path == "/api/v1/pods":
            node = query["fieldSelector"].partition("=")[2]
            return _items([_job()] if self.nodes[node].busy else [])
        return self._of_the_operator(path)

    def _of_the_operator(self, path: str) -> httpx2.Response:
        if path.endswith("/nvidiadrivers/train"):
            error = {"type": "Error", "status": "True", "reason": "ConflictingNodeSelector"}
            conditions = [{**error, "message": "also in serve"}] if self.lag > 100 else []
            return httpx2.Response(200, json={"status": {"conditions": conditions}})
        if path.endswith("/deployments/gpu-operator"):
            labels = {"app.kubernetes.io/version": self.operator}
            return httpx2.Response(200, json={"metadata": {"name": "d", "labels": labels}})
        assert path == f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets", path
        return _items([self._daemon_set()])

    def _patch(self, request: httpx2.Request, name: str) -> httpx2.Response:
        if name not in self.nodes:
            return status(404, f'nodes "{name}" not found')
        self.writes += 1
        node, metadata = self.nodes[name], json.loads(request.content)["metadata"]
        node.labels = _merged(node.labels, metadata.get("labels", {}))
        node.annotations = _merged(node.annotations, metadata.get("annotations", {}))
        return httpx2.Response(200, json=self._node(name))

    def _node(self, name: str) -> dict[str, Any]:
        node = self.nodes[name]
        return {
            "metadata": {"name": name, "labels": node.labels, "annotations": node.annotations},
            "spec": {},
            "status": {"allocatable": {"nvidia.com/gpu": str(node.gpus), "cpu": "64"}},
        }

    def _drivers(self) -> list[dict[str, Any]]:
        return [
            _pod(name, node.pod, ready=not node.crashes)
            for name, node in self.nodes.items()
            if node.pod
        ]

    def _validators(self) -> list[dict[str, Any]]:
        return [_pod(name, "", ready=node.validated) for name, node in self.nodes.items()]

    def _daemon_set(self) -> dict[str, Any]:
        owner = {"kind": "NVIDIADriver", "name": "train"}
        return {
            "metadata": {"name": "d", "generation": 2, "ownerReferences": [owner]},
            "spec": {"template": {"spec": {"containers": [_container(self.brings)]}}},
            "status": {"observedGeneration": 2},
        }


def _stays(state: str, node: PlayedNode) -> bool:
    waits = state == "wait-for-jobs-required" and node.busy
    return waits or (state == "pod-restart-required" and node.crashes)


def _pod(node: str, version: str, *, ready: bool) -> dict[str, Any]:
    loops = {"reason": "CrashLoopBackOff", "message": "back-off restarting"}
    waiting = {"name": "nvidia-driver-ctr", "restartCount": 3, "state": {"waiting": loops}}
    return {
        "metadata": {"name": f"driver-{node}"},
        "spec": {"nodeName": node, "containers": [_container(version)]},
        "status": {
            "conditions": [{"type": "Ready", "status": str(ready)}],
            "containerStatuses": [] if ready else [waiting],
        },
    }


def _container(version: str) -> dict[str, Any]:
    return {"name": "nvidia-driver-ctr", "image": f"r.example:5000/driver:{version}-ubuntu24.04"}


def _job() -> dict[str, Any]:
    container = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
    return {
        "metadata": {"name": "week-long", "namespace": "ml", "labels": {}},
        "spec": {"containers": [container]},
        "status": {"phase": "Running"},
    }


def _items(items: list[dict[str, Any]]) -> httpx2.Response:
    return httpx2.Response(200, json={"items": items})


def _merged(there: dict[str, str], changes: dict[str, str | None]) -> dict[str, str]:
    return {key: text for key, text in {**there, **changes}.items() if text is not None}
