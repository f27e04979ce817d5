"""The node pools that a stack registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE, PoolProps, read_props

if TYPE_CHECKING:
    from gpu_cluster_policies.resources import Resource

NODE_POOL_READS: Final[Mapping[str, Sequence[str]]] = {
    NODE_POOL_TYPE: ("name", "gpu", "mig", "resources")
}
"""What a rule reads of a node pool."""


def pools_beside(resource: Resource, resources: Iterable[Resource]) -> tuple[PoolProps, ...]:
    """The registered node pools of the cluster that a resource lives in."""
    return tuple(
        read_props(one.props)
        for one in resources
        if one.type == NODE_POOL_TYPE and one.beside(resource)
    )
