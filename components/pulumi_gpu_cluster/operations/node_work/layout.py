"""A node's MIG layout, where the gate decides when it comes.

DCGM diagnoses whole GPUs only, so a new node is diagnosed before it is cut. The label by which MIG
Manager is told is therefore not the program's, which would set it at once, but node work's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gpu_cluster.catalog.mig import DISABLED
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL
from pulumi_gpu_cluster.operations.api_server import ApiServer
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of
from pulumi_gpu_cluster.operations.node_work.kept_label import KeptLabel

MANAGER: Final = "gpu-cluster-layout"
"""Under this name the API server keeps the label."""

STATE_LABEL: Final = f"{MIG_CONFIG_LABEL}.state"
"""Label in which MIG Manager says how far it is: pending, rebooting, success or failed."""

_LAYOUT: Final = KeptLabel(MIG_CONFIG_LABEL, MANAGER, "MIG layout", answer=STATE_LABEL)


def layout_of(node: Mapping[str, Any]) -> str:
    """The layout that is asked of a node. MIG Manager takes none for whole GPUs."""
    return labels_of(node).get(MIG_CONFIG_LABEL, DISABLED)


def layout_state(node: Mapping[str, Any]) -> str:
    """How far MIG Manager is; empty where it says nothing."""
    return labels_of(node).get(STATE_LABEL, "")


def keep_layout(access: ApiServer, name: str) -> None:
    """Takes the layout that a node has over from the program, which is about to let go of it."""
    _LAYOUT.keep(access, name)


def set_layout(access: ApiServer, name: str, layout: str | None) -> bool:
    """Asks for a layout.

    Args:
        access: The node's cluster.
        name: The node's name.
        layout: The layout; None lets go of the label.

    Returns:
        Whether another one was asked for until now.
    """
    return _LAYOUT.say(access, name, layout)
