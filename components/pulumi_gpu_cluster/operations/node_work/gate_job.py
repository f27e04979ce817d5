"""The Job by which the gate asks a node: one pod, on that node, with all of its GPUs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, Literal

from pulumi_gpu_cluster.node_pools.props import UNVERIFIED_TOLERATION, WHOLE_GPU
from pulumi_gpu_cluster.operations.node_work.gate_spec import SCRIPT_KEY, GateSpec
from pulumi_gpu_cluster.operations.node_work.hold import GATE_LABEL

Mode = Literal["diag", "slices"]

CONTAINER: Final = "gate"
NODE_ANNOTATION: Final = "gpu-cluster.io/gate-node"

# Two minutes on most nodes; with many GPUs and much memory several more.
_LONGEST_SECONDS: Final = 3600
# The logs of a pod that found something stay for a day.
_KEPT_SECONDS: Final = 86400
_FOLDER: Final = "/gate"


def job_name(node: Mapping[str, Any], mode: Mode, spec: GateSpec) -> str:
    """The Job's name: the same for the same question, so that a killed run finds its Job again.

    Another boot is another question, so nobody is given the answer of the last one.
    """
    asked = (node["metadata"]["uid"], boot_of(node), mode, spec.text())
    return f"gate-{mode}-{hashlib.sha256(repr(asked).encode()).hexdigest()[:16]}"


def boot_of(node: Mapping[str, Any]) -> str:
    """The id of the node's present boot."""
    info: Mapping[str, str] = node.get("status", {}).get("nodeInfo") or {}
    return info.get("bootID", "")


def wanted_devices(mode: Mode, spec: GateSpec) -> Mapping[str, int]:
    """Every GPU of the node, by the resource that the pod has to ask for."""
    return {WHOLE_GPU: spec.gpus} if mode == "diag" else spec.slices


def job(name: str, node: str, mode: Mode, spec: GateSpec, config_map: str) -> dict[str, Any]:
    """The Job.

    The pod has no token of the API server: what it says, it says by its termination message.
    """
    return {
        "metadata": {
            "name": name,
            "labels": {GATE_LABEL: mode},
            "annotations": {NODE_ANNOTATION: node},
        },
        "spec": {
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "template": {
                "metadata": {
                    "labels": {GATE_LABEL: mode},
                    "annotations": {NODE_ANNOTATION: node},
                },
                "spec": _pod_spec(node, mode, spec, config_map),
            },
        },
    }


def _pod_spec(node: str, mode: Mode, spec: GateSpec, config_map: str) -> dict[str, Any]:
    here = {"key": "metadata.name", "operator": "In", "values": [node]}
    tolerations = [dict(one) for one in spec.tolerations]
    if dict(UNVERIFIED_TOLERATION) not in tolerations:
        tolerations.append(dict(UNVERIFIED_TOLERATION))
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        # Counted from the pod's start on the node: it may wait for its driver as long as it takes.
        "activeDeadlineSeconds": _LONGEST_SECONDS,
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchFields": [here]}]
                }
            }
        },
        "tolerations": tolerations,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(mode, spec)],
        "volumes": [
            {
                "name": "script",
                "configMap": {
                    "name": config_map,
                    "items": [{"key": SCRIPT_KEY, "path": SCRIPT_KEY}],
                },
            }
        ],
    }


def _container(mode: Mode, spec: GateSpec) -> dict[str, Any]:
    devices = {resource: str(count) for resource, count in wanted_devices(mode, spec).items()}
    return {
        "name": CONTAINER,
        "image": spec.image,
        "command": ["/bin/bash", f"{_FOLDER}/{SCRIPT_KEY}"],
        "env": [
            {"name": "GATE_MODE", "value": mode},
            {"name": "GATE_GPUS", "value": str(spec.gpus)},
            {"name": "GATE_SLICES", "value": str(spec.instances)},
            {"name": "GATE_DRIVER", "value": spec.driver},
        ],
        "resources": {
            "requests": {"cpu": "1", "memory": "4Gi", **devices},
            "limits": devices,
        },
        "securityContext": {"allowPrivilegeEscalation": False},
        "volumeMounts": [{"name": "script", "mountPath": _FOLDER, "readOnly": True}],
    }
