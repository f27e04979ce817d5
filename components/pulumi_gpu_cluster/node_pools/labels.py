"""Labels that we put on a pool's nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL, POOL_LABEL, WORKLOAD_KEY

DEPLOY_DRIVER_LABEL: Final = "nvidia.com/gpu.deploy.driver"
"""Tells the GPU Operator whether it installs a driver on the node."""

DEPLOY_TOOLKIT_LABEL: Final = "nvidia.com/gpu.deploy.container-toolkit"
"""Tells the GPU Operator whether it installs the container toolkit on the node."""


def node_labels(
    pool: NodePoolArgs, extra: Mapping[str, str], *, layout: str = ""
) -> dict[str, str]:
    """Every label that we set on a node of the pool.

    Args:
        pool: The pool, one of `nodes:`.
        extra: What other concerns need on the nodes.
        layout: The node's MIG layout; empty where it has none, or where the gate sets it.
    """
    labels = {**pool.labels, **extra, POOL_LABEL: pool.name}
    if pool.workload != "kubernetes":
        labels[WORKLOAD_KEY] = pool.workload
    if layout:
        labels[MIG_CONFIG_LABEL] = layout
    # The operator writes true where a label is missing and leaves false alone, so these must be
    # there before it is.
    if pool.driver is not None and pool.driver.source != "operator":
        labels[DEPLOY_DRIVER_LABEL] = "false"
    if pool.driver is not None and pool.driver.whose_toolkit != "operator":
        labels[DEPLOY_TOOLKIT_LABEL] = "false"
    return labels
