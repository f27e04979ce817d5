"""A node's MIG layout, where the gate decides when it comes.

DCGM diagnoses whole GPUs only, so a new node is diagnosed before it is cut. The label by which MIG
Manager is told is therefore not the program's, which would set it at once, but node work's, under
a manager of its own: the API server takes a label away when the last manager lets go of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gpu_cluster.catalog.mig import DISABLED
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL
from pulumi_gpu_cluster.operations.api_server import NODE, ApiServer
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of

MANAGER: Final = "gpu-cluster-layout"
"""Under this name the API server keeps the label."""

STATE_LABEL: Final = f"{MIG_CONFIG_LABEL}.state"
"""Label in which MIG Manager says how far it is: pending, rebooting, success or failed."""


def layout_of(node: Mapping[str, Any]) -> str:
    """The layout that is asked of a node. MIG Manager takes none for whole GPUs."""
    return labels_of(node).get(MIG_CONFIG_LABEL, DISABLED)


def layout_state(node: Mapping[str, Any]) -> str:
    """How far MIG Manager is; empty where it says nothing."""
    return labels_of(node).get(STATE_LABEL, "")


def keep_layout(access: ApiServer, name: str) -> None:
    """Takes the layout that a node has over from the program, which is about to let go of it."""

    def once() -> None:
        layout = labels_of(access.get(NODE, name)).get(MIG_CONFIG_LABEL)
        if layout is not None:
            access.apply(NODE, name, _body(name, layout), MANAGER)

    access.persist(once, f"keep the MIG layout of node {name}")


def set_layout(access: ApiServer, name: str, layout: str | None) -> bool:
    """Asks for a layout.

    Args:
        access: The node's cluster.
        name: The node's name.
        layout: The layout; None lets go of the label.

    Returns:
        Whether another one was asked for until now.
    """

    def once() -> bool:
        node = access.get(NODE, name)
        there = labels_of(node).get(MIG_CONFIG_LABEL)
        ours = MANAGER in _managers(node)
        if layout is None:
            if ours:
                access.apply(NODE, name, _body(name, None), MANAGER)
            return ours
        if there != layout and STATE_LABEL in labels_of(node):
            # Or the success of the last layout would be taken for that of this one.
            access.merge(NODE, name, {"metadata": {"labels": {STATE_LABEL: None}}})
        if there != layout or not ours:
            access.apply(NODE, name, _body(name, layout), MANAGER)
        return there != layout

    return access.persist(once, f"set the MIG layout of node {name}")


def _body(name: str, layout: str | None) -> dict[str, Any]:
    labels = {MIG_CONFIG_LABEL: layout} if layout is not None else {}
    return {"metadata": {"name": name, "labels": labels}}


def _managers(node: Mapping[str, Any]) -> set[str]:
    return {one["manager"] for one in node["metadata"].get("managedFields") or ()}
