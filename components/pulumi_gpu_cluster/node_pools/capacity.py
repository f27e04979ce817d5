"""What a pool has to give: whole GPUs or MIG instances, as the resources pods ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

WHOLE_GPU: Final = "nvidia.com/gpu"
"""The resource of whole GPUs and, under the single strategy, of MIG instances."""

_NONE: Final[Mapping[str, int]] = MappingProxyType({})


def resource_name(short: str) -> str:
    """The resource a pod asks for, from its short name in the site file.

    `gpu` is nvidia.com/gpu and `mig-1g.10gb+me` is nvidia.com/mig-1g.10gb.me, as the device
    plugin spells it.
    """
    return f"nvidia.com/{short.replace('+', '.')}"


def short_name(resource: str) -> str:
    """The site file's name of a GPU resource: mig-3g.40gb for nvidia.com/mig-3g.40gb."""
    return resource.removeprefix("nvidia.com/")


def devices_per_node(pool: NodePoolArgs) -> Mapping[str, int]:
    """GPU resources of one node of the pool, by full name.

    Empty for a CPU pool, for `all-enabled`, and where the model or the layout is not in the
    catalogue, which a rule reports.
    """
    if pool.gpu is None:
        return _NONE
    if pool.mig is None:
        return _devices(pool.gpu.model, pool.gpu.count, mig.DISABLED, "mixed")
    return _devices(pool.gpu.model, pool.gpu.count, pool.mig.layout, pool.mig.strategy)


def kubernetes_pools(pools: Iterable[NodePoolArgs]) -> tuple[NodePoolArgs, ...]:
    """The pools that Kubernetes schedules: what its quotas and queues can give."""
    return tuple(pool for pool in pools if pool.workload == "kubernetes")


def slurm_pools(pools: Iterable[NodePoolArgs]) -> tuple[NodePoolArgs, ...]:
    """The pools that Slurm schedules."""
    return tuple(pool for pool in pools if pool.workload == "slurm")


def devices_in(pool: NodePoolArgs) -> Mapping[str, int]:
    """GPU resources of the whole pool, by full name: those that capacity is proven against."""
    return MappingProxyType(
        {resource: count * pool.size for resource, count in devices_per_node(pool).items()}
    )


@lru_cache(maxsize=1024)
def _devices(model: str, count: int, layout: str, strategy: str) -> Mapping[str, int]:
    """GPU resources of a node with so many GPUs under a layout."""
    if layout == mig.DISABLED:
        return MappingProxyType({WHOLE_GPU: count})
    instances = _instances(model, layout)
    if strategy == "single":
        total = sum(instances.values()) * count
        return MappingProxyType({WHOLE_GPU: total} if total else {})
    return MappingProxyType(
        {resource_name(f"mig-{profile}"): each * count for profile, each in instances.items()}
    )


def _instances(model: str, layout: str) -> Mapping[str, int]:
    board = GPUS[model].mig if model in GPUS else None
    return (mig.instances_of(board, layout) if board is not None else None) or _NONE
