"""Stages that play MIG Manager and the device plugin on simulated GPU nodes.

What a node is (product, number of GPUs, strategy) and what is asked of it (`nvidia.com/mig.config`)
stand in its labels; what it offers follows from the catalogue's boards. An annotation says what
was last done, so that a changed label is seen, and nothing is done twice.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.catalog.gpus import GPUS

LAYOUTS_NOTE: Final = "sandbox.gpu-cluster.io/layouts"
"""The annotation with what a site's own layouts give: for each the node's instances by profile."""

DONE: Final = "sandbox.gpu-cluster.io/devices"
"""The annotation with the GPUs, layout and strategy that were last brought about."""

FAIL: Final = "gpu-cluster-sandbox/fail"
"""The annotation by which a node's hardware fails: `mig`, so that no layout can be applied, or
`gpu-count`, so that one GPU is missing. Without it everything is well again."""

_READY: Final = {
    "key": '.status.conditions.[] | select( .type == "Ready" ) | .status',
    "operator": "In",
    "values": ["True"],
}
_HAS_GPUS: Final = {
    "key": '.metadata.labels["nvidia.com/gpu.count"]',
    "operator": "Exists",
}
_NOT_DONE: Final = {
    "key": (
        '(.metadata.labels["nvidia.com/gpu.count"]'
        ' + " " + (.metadata.labels["nvidia.com/mig.config"] // "all-disabled")'
        ' + " " + (.metadata.labels["nvidia.com/mig.strategy"] // "none")'
        ' + " " + (.metadata.labels["nvidia.com/device-plugin.config"] // "unshared")'
        f' + (.metadata.annotations["{FAIL}"] // "" | if . == "" then "" else " " + . end))'
        f' == .metadata.annotations["{DONE}"]'
        # A layout that is taken back while it is pending leaves what was done as it was.
        ' and .metadata.labels["nvidia.com/mig.config.state"] != "pending"'
    ),
    "operator": "In",
    "values": ["false"],
}
# A layout is asked for, and nobody has said yet that it is being worked on.
_ASKED: Final = {
    "key": (
        '.metadata.labels["nvidia.com/mig.config"] != null'
        ' and .metadata.labels["nvidia.com/mig.config.state"] != "pending"'
    ),
    "operator": "In",
}

# Sets $count, $fail, $product, $layout, $strategy, $config, $known (whether the layout is known and
# can be applied), $total (the node's instances by profile, and under "whole" its whole GPUs),
# $sharing and $replicas (how they are shared, how many times) and $wanted (the number of each
# resource that the node offers).
_WORK_OUT: Final = """\
{{- $boards := fromJson `%(boards)s` }}
{{- $products := fromJson `%(products)s` }}
{{- $labels := .metadata.labels }}
{{- $count := get $labels "nvidia.com/gpu.count" | int }}
{{- $fail := get .metadata.annotations "%(fail)s" }}
{{- $there := eq $fail "gpu-count" | ternary (sub $count 1) $count }}
{{- $strategy := get $labels "nvidia.com/mig.strategy" | default "none" }}
{{- $layout := get $labels "nvidia.com/mig.config" | default "all-disabled" }}
{{- $product := regexReplaceAll "-MIG-.*$" (get $labels "nvidia.com/gpu.product") "" }}
{{- $board := get $boards (get $products $product) | default (dict "all-disabled" dict) }}
{{- $config := get $labels "nvidia.com/device-plugin.config" | default "unshared" }}
{{- $own := get .metadata.annotations "%(layouts)s" | default "{}" | fromJson }}
{{- $known := and (or (hasKey $board $layout) (hasKey $own $layout)) (ne $fail "mig") }}
{{- $total := dict }}
{{- if hasKey $own $layout }}
{{- $total = get $own $layout }}
{{- else if eq $layout "all-disabled" }}
{{- $_ := set $total "whole" $there }}
{{- else }}
{{- range $name, $number := get $board $layout | default dict }}
{{- $_ := set $total $name (mul $there $number) }}
{{- end }}
{{- end }}
{{- $wanted := dict "nvidia.com/gpu" "0" }}
{{- range $name, $number := $total }}
{{- if or (eq $name "whole") (and (eq $strategy "single") (eq (len $total) 1)) }}
{{- $_ := set $wanted "nvidia.com/gpu" (int $number | toString) }}
{{- else if eq $strategy "mixed" }}
{{- $_ := set $wanted (printf "nvidia.com/mig-%%s" $name) (int $number | toString) }}
{{- end }}
{{- end }}
{{- $shared := regexFind "^(time-slicing|mps)-[0-9]+" $config | splitList "-" }}
{{- $replicas := ternary (last $shared) "1" (gt (len $shared) 1) | int }}
{{- $sharing := ternary (initial $shared | join "-") "none" (gt $replicas 1) }}
{{- if gt $replicas 1 }}
{{- range $name, $number := deepCopy $wanted }}
{{- if ne $number "0" }}
{{- $_ := set $wanted $name "0" }}
{{- $_ := set $wanted (printf "%%s.shared" $name) (mul (int $number) $replicas | toString) }}
{{- end }}
{{- end }}
{{- end }}
"""
# A resource that a node offered once stays, at zero, as a kubelet keeps it. Devices, labels and
# the annotation go in one patch: kwok would take the state between two for a reason to begin
# again, and finish that second run even after the layout has changed once more.
_PATCH: Final = """\
{{- $done := list (toString $count) $layout $strategy $config $fail | compact }}
metadata:
  annotations:
    %(done)s: {{ join " " $done | quote }}
  labels:
{{- if hasKey $labels "nvidia.com/mig.config" }}
    nvidia.com/mig.config.state: {{ ternary "success" "failed" $known }}
{{- else }}
    nvidia.com/mig.config.state: null
{{- end }}
{{- if and (eq $strategy "single") (eq (len $total) 1) (not (hasKey $total "whole")) }}
    nvidia.com/gpu.product: {{ printf "%%s-MIG-%%s" $product (keys $total | first) }}
{{- else }}
    nvidia.com/gpu.product: {{ $product }}
{{- end }}
    nvidia.com/gpu.replicas: {{ $replicas | toString | quote }}
    nvidia.com/gpu.sharing-strategy: {{ $sharing }}
{{- if $known }}
{{- range $name, $number := .status.capacity }}
{{- if and (regexMatch "^nvidia.com/(mig-|gpu[.]shared$)" $name) (not (hasKey $wanted $name)) }}
{{- $_ := set $wanted $name "0" }}
{{- end }}
{{- end }}
status:
  capacity: {{ toJson $wanted }}
  allocatable: {{ toJson $wanted }}
{{- end }}
"""


def device_stages() -> list[dict[str, Any]]:
    """The stages, for every board in the catalogue.

    A layout goes through `pending` to `success`, or to `failed` where the board has no such
    layout; then the node offers what it offered before. Under `mixed` each profile is a
    resource of its own and whole GPUs go to zero; under `single` every instance counts as
    nvidia.com/gpu, provided that all are alike. A configuration of the device plugin whose name
    says how GPUs are shared, and how many times, gives shared resources in place of the others:
    renamed, as this package's configurations have it, so that the product's name stays.
    """
    table = {
        "boards": _compact({name: _layouts(board) for name, board in mig.boards().items()}),
        "products": _compact(
            {gpu.gfd_product: gpu.mig_board for gpu in GPUS.values() if gpu.mig_board}
        ),
        "done": DONE,
        "layouts": LAYOUTS_NOTE,
        "fail": FAIL,
    }
    pending = {"labels": {"nvidia.com/mig.config.state": "pending"}}
    return [
        _stage(
            "node-layout-pending",
            asked="true",
            patch={"root": "metadata", "template": _compact(pending)},
        ),
        _stage(
            "node-layout-done",
            asked="false",
            # Long enough to be seen, short enough not to be waited for.
            delay={"durationMilliseconds": 500},
            patch={"subresource": "status", "template": (_WORK_OUT + _PATCH) % table},
        ),
    ]


def _stage(
    name: str,
    *,
    asked: str,
    patch: dict[str, str],
    delay: dict[str, int] | None = None,
) -> dict[str, Any]:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Node"},
            "selector": {
                "matchExpressions": [_READY, _HAS_GPUS, _NOT_DONE, {**_ASKED, "values": [asked]}]
            },
            **({"delay": delay} if delay else {}),
            "next": {"patches": [patch]},
        },
    }


def _layouts(board: mig.MigBoard) -> dict[str, dict[str, int]]:
    """For each layout the instances of one GPU, by the profile's name in resources."""
    layouts = {name: mig.instances_of(board, name) or {} for name in board.layouts}
    return {
        name: {board.profiles[profile].label: count for profile, count in instances.items()}
        for name, instances in layouts.items()
    }


def _compact(content: object) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)
