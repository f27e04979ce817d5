"""How far a node is on its way to another driver, kept on the node itself.

The label by which the GPU Operator leaves a node alone is written in one request with the record
that says that it is ours: an administrator's own label stays, and a killed run is taken up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, cast, get_args

from pulumi_gpu_cluster.operations.api_server import NODE, AccessError, ApiServer
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of

ANNOTATION: Final = "gpu-cluster.io/driver-upgrade"
"""Annotation of a node that is on its way to another driver, with its record."""

SKIP_LABEL: Final = "nvidia.com/gpu-driver-upgrade.skip"
"""With `true` the GPU Operator begins no upgrade on the node."""

STATE_LABEL: Final = "nvidia.com/gpu-driver-upgrade-state"
"""In it the GPU Operator says how far it is; of an earlier upgrade too, until it has seen that
there is another one."""

State = Literal["held", "upgrading", "failed"]
"""`held`: keeps its driver until its wave. `upgrading`: its wave has begun. `failed`: it is why
no further wave begins."""


@dataclass(frozen=True, slots=True)
class DriverRecord:
    """What is known of a node.

    Attributes:
        state: Where it stands.
        version: The version that it is to get.
        before: The version that it had; empty where nobody could tell.
        devices: The GPU resources that it offered then.
        reason: Why it failed.
    """

    state: State
    version: str
    before: str = ""
    devices: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""

    def text(self) -> str:
        """As it stands in the annotation."""
        told = {
            "state": self.state,
            "version": self.version,
            "before": self.before,
            "devices": dict(self.devices),
            "reason": self.reason,
        }
        return json.dumps({key: one for key, one in told.items() if one}, sort_keys=True)


def driver_record(node: Mapping[str, Any]) -> DriverRecord | None:
    """The record on a node; None for a node that is on no way.

    Raises:
        AccessError: Somebody wrote nonsense into the annotation.
    """
    annotations: Mapping[str, str] = node["metadata"].get("annotations") or {}
    text = annotations.get(ANNOTATION)
    if text is None:
        return None
    try:
        raw = cast("dict[str, Any]", json.loads(text))
        record = DriverRecord(**raw)
        devices: Mapping[str, object] = raw.get("devices", {})
        counts = all(isinstance(one, int) for one in devices.values())
        sound = record.state in get_args(State) and isinstance(raw["version"], str) and counts
    except (AttributeError, TypeError, ValueError):
        sound, record = False, DriverRecord("held", "")
    if not sound:
        name = node["metadata"]["name"]
        raise AccessError(
            f"annotation {ANNOTATION} of node {name} makes no sense; fix: remove it and the label "
            f"{SKIP_LABEL} (kubectl annotate node {name} {ANNOTATION}-; kubectl label node {name} "
            f"{SKIP_LABEL}-), and run pulumi up"
        )
    return record


def is_skipped(node: Mapping[str, Any]) -> bool:
    """Whether the operator begins no upgrade on the node, whoever wants it so."""
    return labels_of(node).get(SKIP_LABEL) == "true"


def write_driver_record(
    access: ApiServer,
    node: Mapping[str, Any],
    record: DriverRecord | None,
    labels: Mapping[str, str | None] | None = None,
) -> None:
    """Writes a node's record, and holds the node or lets it go as the record says.

    Args:
        access: The node's cluster.
        node: The node, as it was read.
        record: What is known of it; None for a node that is on no way any more.
        labels: Labels to write in the same request; None as a value takes one away.

    Raises:
        NotThereError: There is no such node.
        AccessError: The API server refuses or cannot be reached.
    """
    name = node["metadata"]["name"]
    known = driver_record(node)
    changed = dict(labels or {})
    if record is not None and record.state == "held":
        changed[SKIP_LABEL] = "true"
    elif known is not None and known.state == "held":
        changed[SKIP_LABEL] = None
    text = record.text() if record is not None else None
    patch = {"metadata": {"annotations": {ANNOTATION: text}, "labels": changed}}
    access.persist(
        lambda: access.merge(NODE, name, patch), f"write how far node {name} is with its driver"
    )
