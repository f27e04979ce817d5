"""The node pools of a cluster: those the stack registers, else those the configuration tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from gpu_cluster_policies.resources import UNKNOWN, Resource, section
from gpu_cluster_policies.rule import Config
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE, PoolProps, read_props

NODE_POOL_READS: Final[Mapping[str, Sequence[str]]] = {
    NODE_POOL_TYPE: (
        "name",
        "gpu",
        "mig",
        "resources",
        "nodes",
        "most",
        "selector",
        "driver",
        "workload",
    )
}
"""What rules read of a node pool."""


def pools_beside(resource: Resource, stack: Stack) -> tuple[PoolProps, ...]:
    """The registered node pools of the cluster that a resource lives in."""
    return tuple(read_props(one.props) for one in stack.beside(resource, NODE_POOL_TYPE))


def known_pools(resource: Resource, stack: Stack, config: Config) -> tuple[PoolProps, ...]:
    """The node pools of a resource's cluster; those of the configuration where none registers."""
    registered = pools_beside(resource, stack)
    if registered:
        return registered
    told: Mapping[str, Mapping[str, object]] = config.get("pools", {})
    return tuple(
        read_props(
            {
                **pool,
                "name": name,
                "gpu": {"model": pool.get("gpu", "")},
                "driver": {"source": pool.get("driver", "")},
            }
        )
        for name, pool in told.items()
    )


def unknown_pools(resource: Resource, stack: Stack) -> tuple[Resource, ...]:
    """Registered pools of its cluster whose resources are not known yet."""
    return tuple(
        one
        for one in stack.beside(resource, NODE_POOL_TYPE)
        if section(one.props, "resources") is UNKNOWN
    )


def offered(
    resource: Resource, stack: Stack, config: Config, *, queued: bool = False
) -> tuple[str, ...] | None:
    """The GPU resources of a resource's cluster; None where nothing tells them.

    Args:
        resource: What asks.
        stack: The stack.
        config: Settings of the rule that asks.
        queued: Whether to leave out what Slurm gives out, which no queue of Kubernetes sees.
    """
    pools = known_pools(resource, stack, config)
    if pools:
        chosen = [one for one in pools if not queued or one.workload == "kubernetes"]
        return tuple(sorted({name for pool in chosen for name in pool.resources}))
    configured: Sequence[str] | None = config.get("gpuResources")
    return None if configured is None else tuple(sorted(configured))


def capacity(pools: Sequence[PoolProps], *, grown: bool = False) -> Mapping[str, Fraction]:
    """How much of each GPU resource pools have that Kubernetes schedules.

    Args:
        pools: The pools.
        grown: Whether to count the most nodes there can be, and not the fewest.
    """
    total: dict[str, Fraction] = {}
    for pool in (one for one in pools if one.workload == "kubernetes"):
        for name, count in pool.resources.items():
            total[name] = total.get(name, Fraction(0)) + count * _nodes(pool, grown=grown)
    return total


def _nodes(pool: PoolProps, *, grown: bool) -> int:
    return (pool.most if grown and pool.most is not None else pool.nodes) or 0


def is_gpu(resource: str) -> bool:
    """Whether an extended resource is GPUs or slices of them."""
    group, _, name = resource.partition("/")
    return group in {"nvidia.com", "amd.com"} and (
        name.startswith(("gpu", "mig-")) or name == "pgpu"
    )
