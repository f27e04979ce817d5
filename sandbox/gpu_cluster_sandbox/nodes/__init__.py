"""Simulated nodes, made from the site file: what kubelet, NFD and GFD would say of the machines.

They carry nothing of ours: labels and taints that the product sets must come from the product.
"""

from __future__ import annotations

from gpu_cluster_sandbox.nodes.apply import apply_nodes, show_nodes_to_operators
from gpu_cluster_sandbox.nodes.failures import Failure, fail, mend
from gpu_cluster_sandbox.nodes.manifests import SYSTEM_NODE, simulated_nodes

__all__ = [
    "SYSTEM_NODE",
    "Failure",
    "apply_nodes",
    "fail",
    "mend",
    "show_nodes_to_operators",
    "simulated_nodes",
]
