"""Node pools in a cluster."""

from __future__ import annotations

from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.node_pools.component import NodePool
from pulumi_gpu_cluster.node_pools.guard import NodeGuard
from pulumi_gpu_cluster.scheduling.choice import node_labels_for


def node_pools(cluster: Composition) -> list[NodePool]:
    """All pools, after the guard that keeps their labels true."""
    guard = NodeGuard(cluster.named("node-guard"), opts=cluster.inside())
    return [
        NodePool(
            cluster.named(pool.name),
            pool,
            access=cluster.access,
            labels=node_labels_for(cluster.site.scheduler.kind, pool),
            node_scope=cluster.name,
            gated=cluster.site.health.gate.enabled,
            opts=cluster.inside([guard]),
        )
        for pool in cluster.site.node_pools
    ]
