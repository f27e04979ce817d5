"""Stages of a driver that is replaced on a node, and of one that does not come up there.

Its pods start as any others do. What runs on them afterwards is GPU feature discovery, whose
labels are how the GPU Operator of before 26.7 notices that a node's driver is back: by itself it
looks every two minutes.
"""

from __future__ import annotations

from typing import Any, Final

# source: NVIDIA/k8s-operator-libs, pkg/upgrade: a pod that began more often than this has failed
_GIVEN_UP: Final = 10

_PATCH: Final = """\
{{- $now := Now | Quote }}
phase: Running
startTime: {{ $now }}
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ $now }}}
- {type: ContainersReady, status: "False", reason: CrashLoop, lastTransitionTime: {{ $now }}}
- {type: Ready, status: "False", reason: CrashLoop, lastTransitionTime: {{ $now }}}
containerStatuses:
{{- range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  started: false
  restartCount: %(restarts)d
  state: {waiting: {reason: CrashLoopBackOff, message: simulated}}
{{- end }}
"""


_DISCOVERED: Final = """\
labels:
  nvidia.com/gfd.timestamp: {{ now | unixEpoch | quote }}
"""


def driver_stages() -> list[dict[str, Any]]:
    """The stage of every node: its GPUs are looked at again while its driver is replaced."""
    return [
        {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "Stage",
            "metadata": {"name": "node-gpus-discovered"},
            "spec": {
                "resourceRef": {"apiGroup": "v1", "kind": "Node"},
                "selector": {
                    "matchExpressions": [
                        {
                            "key": '.metadata.labels["nvidia.com/gpu-driver-upgrade-state"]',
                            "operator": "In",
                            "values": ["pod-restart-required", "validation-required"],
                        }
                    ]
                },
                "delay": {"durationMilliseconds": 1000},
                "next": {"patches": [{"root": "metadata", "template": _DISCOVERED}]},
            },
        }
    ]


def failing_driver(node: str) -> dict[str, Any]:
    """The stage: the node's next driver pod begins again and again, and is never ready."""
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": f"driver-pod-fails-{node}"},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
            # Before the one by which every pod starts.
            "weight": 1,
            "selector": {
                "matchExpressions": [
                    {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"},
                    {"key": ".status.phase", "operator": "In", "values": ["Pending"]},
                    {"key": ".spec.nodeName", "operator": "In", "values": [node]},
                    {
                        "key": '.metadata.labels["app.kubernetes.io/component"]',
                        "operator": "In",
                        "values": ["nvidia-driver"],
                    },
                ]
            },
            "next": {
                "patches": [
                    {
                        "subresource": "status",
                        "root": "status",
                        "template": _PATCH % {"restarts": _GIVEN_UP + 1},
                    }
                ]
            },
        },
    }
