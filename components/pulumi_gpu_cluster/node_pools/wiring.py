"""Node pools in a cluster."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.plugin_config import plugin_config
from pulumi_gpu_cluster.node_pools.props import PLUGIN_CONFIG_LABEL
from pulumi_gpu_cluster.scheduling.choice import node_labels_for


def node_pools(cluster: Composition) -> list[parts.NodePool]:
    """All pools, after the guard that keeps their labels true."""
    guard = parts.NodeGuard(cluster.named("node-guard"), opts=cluster.inside())
    return [
        parts.NodePool(
            cluster.named(pool.name),
            pool,
            access=cluster.access,
            labels={
                **node_labels_for(cluster.site.scheduler.kind, pool),
                **_plugin_label(cluster, pool),
            },
            node_scope=cluster.name,
            gated=cluster.site.health.gate.enabled,
            opts=cluster.inside([guard]),
        )
        for pool in cluster.site.node_pools
    ]


def _plugin_label(cluster: Composition, pool: NodePoolArgs) -> Mapping[str, str]:
    """How the device plugin is told its configuration, where that is not for the gate to do.

    The gate counts whole GPUs first: nodes that it verifies are shared by it, in the end.
    """
    site = cluster.site
    if site.health.gate.enabled and pool.sharing is not None:
        return {}
    config = plugin_config(pool, site.node_pools)
    return {} if config is None else {PLUGIN_CONFIG_LABEL: config.name}
