"""What the gate has found out about a node, kept on the node itself.

The taint says whether work may come, the annotation why. Both are written in one request, so a
killed run leaves either both or neither, and the next one goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, cast, get_args

from pulumi_gpu_cluster.node_pools.props import UNVERIFIED_TAINT
from pulumi_gpu_cluster.operations.api_server import NODE, AccessError, ApiServer

ANNOTATION: Final = "gpu-cluster.io/gate"
"""Annotation of a node with its record."""

State = Literal["held", "in-service", "passed", "failed"]
"""`held`: new, or to be verified again, and no work comes. `in-service`: works, and no gate has
passed it, because it did so before there was one. `passed` and `failed` as they say."""

TAINT: Final[Mapping[str, str]] = {"key": UNVERIFIED_TAINT, "effect": "NoSchedule"}


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a node.

    Attributes:
        state: Where it stands.
        reason: Why, for people.
        boot: Boot id under which its GPUs were diagnosed; empty while they were not.
        driver: Driver version that was diagnosed.
        firmware: Firmware of its GPUs that was diagnosed. Other firmware starts with another
            boot, so it is told and not compared.
        at: When, in UTC.
        layout: The MIG layout that could not be applied, where that is why it failed.
    """

    state: State
    reason: str = ""
    boot: str = ""
    driver: str = ""
    firmware: str = ""
    at: str = ""
    layout: str = ""

    @property
    def holds(self) -> bool:
        """Whether the node is kept from work."""
        return self.state in ("held", "failed")

    def text(self) -> str:
        """As it stands in the annotation."""
        return json.dumps({key: text for key, text in asdict(self).items() if text}, sort_keys=True)


def record_of(node: Mapping[str, Any]) -> Record | None:
    """The record on a node; None where it has none.

    Raises:
        AccessError: Somebody wrote nonsense into the annotation.
    """
    annotations: Mapping[str, str] = node["metadata"].get("annotations") or {}
    text = annotations.get(ANNOTATION)
    if text is None:
        return None
    try:
        raw = cast("dict[str, Any]", json.loads(text))
        record = Record(**raw)
        texts = all(isinstance(one, str) for one in raw.values())
        sound = texts and record.state in get_args(State)
    except (TypeError, ValueError):
        sound, record = False, Record("held")
    if not sound:
        name = node["metadata"]["name"]
        raise AccessError(
            f"annotation {ANNOTATION} of node {name} makes no sense; fix: remove it (kubectl "
            f"annotate node {name} {ANNOTATION}-), and the gate begins anew"
        )
    return record


def labels_of(thing: Mapping[str, Any]) -> Mapping[str, str]:
    """The labels of a node or any other object."""
    labels: Mapping[str, str] | None = thing["metadata"].get("labels")
    return labels or {}


def is_held(node: Mapping[str, Any]) -> bool:
    """Whether the taint is on the node."""
    return any(one["key"] == UNVERIFIED_TAINT for one in _taints(node))


def write_record(
    access: ApiServer, name: str, decide: Callable[[Mapping[str, Any]], Record | None]
) -> Record | None:
    """Writes a node's record, and sets or lifts the taint as it says.

    Args:
        access: The node's cluster.
        name: The node's name.
        decide: Says by the node what its record is to be; None leaves neither record nor taint.
            It is asked again where somebody else has changed the node meanwhile.

    Returns:
        The record.

    Raises:
        NotThereError: There is no such node.
        AccessError: The API server refuses or cannot be reached.
    """

    def once() -> Record | None:
        node = access.get(NODE, name)
        wanted = decide(node)
        patch = _patch(node, wanted)
        if patch is not None:
            access.merge(NODE, name, patch)
        return wanted

    return access.persist(once, f"write what the gate knows of node {name}")


def _patch(node: Mapping[str, Any], wanted: Record | None) -> dict[str, Any] | None:
    """What to write, under the version that was read; None where all is as it should be."""
    others = [one for one in _taints(node) if one["key"] != UNVERIFIED_TAINT]
    holds = wanted is not None and wanted.holds
    if wanted == record_of(node) and holds == is_held(node):
        return None
    return {
        "metadata": {
            # With it the API server refuses to patch a node that somebody else has changed since.
            "resourceVersion": node["metadata"]["resourceVersion"],
            "annotations": {ANNOTATION: wanted.text() if wanted is not None else None},
        },
        "spec": {"taints": [*others, *([dict(TAINT)] if holds else [])]},
    }


def _taints(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return node.get("spec", {}).get("taints") or []
