"""Stages that play the pod of the gate, which would look at the GPUs of its node.

What it would find is what it was asked for. To see a node that fails, apply the stage that
`failing_gate` gives: it goes before the other one there.
"""

from __future__ import annotations

from typing import Any, Final

# Sets $seen to the verdict that the real pod would leave, with what it was told to expect.
_VERDICT: Final = """\
{{- $asked := dict }}
{{- range (index .spec.containers 0).env }}
{{- $_ := set $asked .name (default "" .value) }}
{{- end }}
{{- $cut := eq (get $asked "GATE_MODE") "slices" }}
{{- $seen := list "gpu-cluster-gate 1"
  (printf "mode=%%s" (get $asked "GATE_MODE"))
  (printf "gpus=%%s" (get $asked "GATE_GPUS"))
  (printf "slices=%%s" (ternary (get $asked "GATE_SLICES") "0" $cut))
  (printf "mig=%%s" (ternary "on" "off" $cut))
  (printf "driver=%%s" (get $asked "GATE_DRIVER" | default "595.91.07"))
  "firmware=96.00.74.00.01"
  "fabric=none"
  (printf "diag=%%s" (ternary "not-run" "%(diag)s" $cut))
  "reason=%(reason)s"
}}
"""
_PATCH: Final = """\
{{- $now := Now | Quote }}
phase: Succeeded
conditions:
- {type: ContainersReady, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now }}}
- {type: Ready, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now }}}
containerStatuses:
{{- range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  started: false
  restartCount: 0
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ $now }}
      finishedAt: {{ $now }}
      message: {{ join "\\n" $seen | toJson }}
{{- end }}
"""


def gate_stages() -> list[dict[str, Any]]:
    """The stage of every node: it passes."""
    return [_stage("gate-pod-completes", "pass", "", [])]


def failing_gate(node: str) -> dict[str, Any]:
    """A stage by which the pod on one node finds that a GPU is bad."""
    here = {"key": ".spec.nodeName", "operator": "In", "values": [node]}
    stage = _stage(f"gate-pod-fails-{node}", "fail", "GPU 3 failed the memory test", [here])
    stage["spec"]["weight"] = 1
    return stage


def _stage(name: str, diag: str, reason: str, where: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
            "selector": {
                "matchExpressions": [
                    {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"},
                    {"key": ".status.phase", "operator": "In", "values": ["Running"]},
                    {"key": '.metadata.labels["gpu-cluster.io/gate"]', "operator": "Exists"},
                    *where,
                ]
            },
            "delay": {"durationMilliseconds": 200},
            "next": {
                "patches": [
                    {
                        "subresource": "status",
                        "root": "status",
                        "template": _VERDICT % {"diag": diag, "reason": reason} + _PATCH,
                    }
                ]
            },
        },
    }
