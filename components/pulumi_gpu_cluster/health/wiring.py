"""Health in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.last_outputs import last_outputs
from pulumi_gpu_cluster.operations.outcomes import GATES, Told, attempts


def problem_detector(cluster: Composition) -> list[parts.ProblemDetector]:
    """node-problem-detector, where the site has it."""
    site = cluster.site
    if not site.health.problem_detector.enabled:
        return []
    return [
        parts.ProblemDetector(
            cluster.named("problem-detector"),
            site.health.problem_detector,
            pools=site.node_pools,
            charts=site.charts,
            opts=cluster.inside(),
        )
    ]


def node_gate(
    cluster: Composition, pools: Sequence[parts.NodePool], after: Sequence[pulumi.Resource]
) -> Told:
    """The gate of new GPU nodes, where the site has one and nodes for it.

    Args:
        cluster: The cluster.
        pools: The node pools.
        after: The GPU Operator, without which no node has GPUs to offer.

    Returns:
        What is told of each node.
    """
    site = cluster.site
    gated = any(pool.gpu is not None and pool.node_names for pool in site.node_pools)
    if not site.health.gate.enabled or not gated:
        return {}
    gate = parts.NodeGate(
        cluster.named("gate"),
        site.health.gate,
        pools=site.node_pools,
        labelled={name: node for pool in pools for name, node in pool.labelled.items()},
        wait=site.operations.wait,
        evict=site.operations.evict,
        access=cluster.access,
        attempts=attempts(last_outputs(), GATES),
        opts=cluster.inside(after),
    )
    return gate.told
