"""A cluster of one GPU node, as the gate sees it: its labels, taints, pods and Jobs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from api_stub import Clock, api_server, status

from pulumi_gpu_cluster.operations.api_server import ApiServer
from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec

NAMESPACE: Final = "gpu-cluster-gate"
WHOLE: Final = GateSpec(
    gpus=8, driver="580.173.02", layout="", slices={}, image="dcgm:1", tolerations=[]
)
CUT: Final = GateSpec(
    gpus=8,
    driver="580.173.02",
    layout="all-3g.40gb",
    slices={"nvidia.com/mig-3g.40gb": 16},
    image="dcgm:1",
    tolerations=[],
)
MIG: Final = "nvidia.com/mig.config"
SHARING: Final = "nvidia.com/device-plugin.config"
_KEPT: Final = {"gpu-cluster-layout": MIG, "gpu-cluster-sharing": SHARING}


def verdict(**changes: object) -> str:
    """A termination message that passes, with changes."""
    values: dict[str, object] = {
        "mode": "diag",
        "gpus": 8,
        "slices": 0,
        "mig": "off",
        "driver": "580.173.02",
        "firmware": "96.00.74.00.01",
        "fabric": "none",
        "diag": "pass",
        "reason": "",
    }
    lines = [f"{key}={value}" for key, value in {**values, **changes}.items()]
    return "\n".join(["gpu-cluster-gate 1", *lines, ""])


SLICES: Final = verdict(mode="slices", slices=16, mig="on", diag="not-run")


@dataclass
class GateCluster:
    """The cluster.

    Attributes:
        says: What the pod of each mode leaves as its message; None: it does not end.
        labels: The node's labels.
        pods: Other pods on the node.
        boot: The node's boot id.
        tenants: Namespaces of tenants; pods are in `ml`.
        asked: Jobs that were made, in order: their modes.
        shares: Whether the device plugin offers shares of GPUs.
        unknown_for: How often the node is read until MIG Manager knows the site's own layouts.
        told: Labels that node work keeps, as it said them, in order.
        cutting: What MIG Manager says of a layout.
        evicted: Names of pods that were evicted.
    """

    says: dict[str, str | None] = field(default_factory=lambda: {"diag": verdict()})
    labels: dict[str, str] = field(default_factory=dict[str, str])
    pods: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    boot: str = "boot-1"
    asked: list[str] = field(default_factory=list[str])
    layouts: list[str] = field(default_factory=list[str])
    told: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    taints: list[dict[str, str]] = field(
        default_factory=lambda: [{"key": "theirs", "effect": "NoSchedule"}]
    )
    tenants: set[str] = field(default_factory=set[str])
    managers: list[str] = field(default_factory=list[str])
    shares: bool = True
    unknown_for: int = 0
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    cutting: str = "success"
    evicted: list[str] = field(default_factory=list[str])
    clock: Clock = field(default_factory=Clock)

    def access(self) -> ApiServer:
        """The way in."""
        return api_server(self.answer, self.clock)

    @property
    def record(self) -> dict[str, str]:
        """What the annotation says."""
        read: dict[str, str] = json.loads(self.annotations.get("gpu-cluster.io/gate", "{}"))
        return read

    @property
    def held(self) -> bool:
        """Whether our taint is on the node."""
        return {"key": "gpu-cluster.io/unverified", "effect": "NoSchedule"} in self.taints

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Does what an API server would do."""
        path = request.url.path
        if path == "/api/v1/nodes/gpu01":
            if request.method == "PATCH":
                self._patch(request)
            return httpx2.Response(200, json=self._node())
        if path == "/api/v1/namespaces/ml":
            labels = {"gpu-cluster.io/tenant": "ml"} if "ml" in self.tenants else {}
            return httpx2.Response(200, json={"metadata": {"name": "ml", "labels": labels}})
        if path.endswith("/eviction"):
            return self._evict(path.split("/")[-2])
        if path == "/api/v1/pods":
            assert request.url.params["fieldSelector"] == "spec.nodeName=gpu01"
            return httpx2.Response(200, json={"items": self.pods})
        if path == f"/api/v1/namespaces/{NAMESPACE}/pods":
            job = request.url.params["labelSelector"].partition("=")[2]
            return httpx2.Response(200, json={"items": [self._foreign(), *self._pod(job)]})
        assert path.startswith(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"), path
        return self._job(request, path.rpartition("/")[2])

    def _evict(self, name: str) -> httpx2.Response:
        if name == "guarded":
            return status(429, "a disruption budget does not let it go")
        self.evicted.append(name)
        self.pods = [pod for pod in self.pods if pod["metadata"]["name"] != name]
        return httpx2.Response(201, json={"kind": "Status"})

    def _patch(self, request: httpx2.Request) -> None:
        metadata = json.loads(request.content).get("metadata", {})
        if request.headers["Content-Type"].startswith("application/apply-patch"):
            manager = request.url.params["fieldManager"]
            self.managers = [one for one in self.managers if one != manager]
            key = _KEPT[manager]
            self.labels.pop(key, None)
            said = metadata.get("labels", {}).get(key)
            self.told.append((key, said))
            if said is not None:
                self.managers.append(manager)
                self.labels[key] = said
                if key == MIG:
                    self.layouts.append(said)
                    unknown = said.startswith("custom-") and self.unknown_for > 0
                    self.labels[f"{MIG}.state"] = "failed" if unknown else self.cutting
            return
        self.annotations = _merged(self.annotations, metadata.get("annotations", {}))
        self.labels = _merged(self.labels, metadata.get("labels", {}))
        self.taints = json.loads(request.content).get("spec", {}).get("taints", self.taints)

    def _node(self) -> dict[str, Any]:
        if self.unknown_for > 0 and self.labels.get(f"{MIG}.state") == "failed":
            self.unknown_for -= 1
            if self.unknown_for == 0:
                self.labels[f"{MIG}.state"] = "success"
        return {
            "metadata": {
                "name": "gpu01",
                "uid": "uid-1",
                "resourceVersion": "1",
                "labels": self.labels,
                "annotations": self.annotations,
                "managedFields": [{"manager": name} for name in self.managers],
            },
            "spec": {"taints": self.taints},
            "status": {
                "nodeInfo": {"bootID": self.boot},
                "allocatable": {
                    "nvidia.com/gpu": "8",
                    "nvidia.com/mig-3g.40gb": "16",
                    "nvidia.com/gpu.shared": "32" if self.shares else "0",
                },
            },
        }

    def _job(self, request: httpx2.Request, name: str) -> httpx2.Response:
        if request.method == "POST":
            made = json.loads(request.content)
            name = made["metadata"]["name"]
            self.asked.append(made["metadata"]["labels"]["gpu-cluster.io/gate"])
            made["metadata"]["uid"] = f"job-{len(self.asked)}"
            self.jobs[name] = made
        if name not in self.jobs:
            return status(404, f"jobs {name} not found")
        if request.method == "DELETE":
            return httpx2.Response(200, json=self.jobs.pop(name))
        return httpx2.Response(200, json=self.jobs[name])

    def _pod(self, job: str) -> list[dict[str, Any]]:
        if job not in self.jobs:
            return []
        metadata = self.jobs[job]["metadata"]
        message = self.says.get(metadata["labels"]["gpu-cluster.io/gate"])
        ended = {"exitCode": 0, "reason": "Completed", "message": message}
        return [
            {
                "metadata": {"name": "p", "ownerReferences": [{"uid": metadata["uid"]}]},
                "status": {
                    "phase": "Running" if message is None else "Succeeded",
                    "containerStatuses": [
                        {
                            "name": "gate",
                            "state": {"running": {}} if message is None else {"terminated": ended},
                        }
                    ],
                },
            }
        ]

    def _foreign(self) -> dict[str, Any]:
        """A pod that only says that it belongs to the Job."""
        ended = {"exitCode": 0, "message": verdict(firmware="forged")}
        return {
            "metadata": {"name": "sly", "ownerReferences": [{"uid": "another"}]},
            "status": {
                "phase": "Succeeded",
                "containerStatuses": [{"name": "gate", "state": {"terminated": ended}}],
            },
        }


def gpu_pod(name: str, **labels: str) -> dict[str, Any]:
    """A pod that holds a GPU."""
    container = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    return {
        "metadata": {"name": name, "namespace": "ml", "labels": labels},
        "spec": {"containers": [container]},
        "status": {"phase": "Running"},
    }


def _merged(there: dict[str, str], changes: dict[str, str | None]) -> dict[str, str]:
    return {key: text for key, text in {**there, **changes}.items() if text is not None}
