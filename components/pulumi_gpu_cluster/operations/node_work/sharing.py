"""How a node's GPUs are shared, where the gate decides when.

A shared GPU goes by another name, of which a pod gets one: the gate, which asks for all GPUs of a
node, would never get them. So a node is verified unshared, and shared in the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.props import PLUGIN_CONFIG_LABEL, SHARED
from pulumi_gpu_cluster.operations.node_work.kept_label import KeptLabel

SHARING: Final = KeptLabel(PLUGIN_CONFIG_LABEL, "gpu-cluster-sharing", "sharing of the GPUs")
"""The label by which the device plugin is told."""


def offers_shares(node: Mapping[str, Any]) -> bool:
    """Whether a node has shares of its GPUs to give."""
    offered: Mapping[str, str] = node.get("status", {}).get("allocatable") or {}
    return any(name.endswith(SHARED) and amount != "0" for name, amount in offered.items())
