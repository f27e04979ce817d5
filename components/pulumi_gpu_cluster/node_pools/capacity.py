"""What a pool has to give: whole GPUs or MIG instances, as the resources pods ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import Cut, Instances, parts_of
from pulumi_gpu_cluster.node_pools.props import SHARED, WHOLE_GPU


def resource_name(short: str) -> str:
    """The resource a pod asks for, from its short name in the site file.

    `gpu` is nvidia.com/gpu and `mig-1g.10gb+me` is nvidia.com/mig-1g.10gb.me, as the device
    plugin spells it.
    """
    return f"nvidia.com/{short.replace('+', '.')}"


def short_name(resource: str) -> str:
    """The site file's name of a GPU resource: mig-3g.40gb for nvidia.com/mig-3g.40gb."""
    return resource.removeprefix("nvidia.com/")


def counterpart(short: str) -> str:
    """The short name of the same device where it is shared, or where it is not."""
    plain = short_name(resource_name(short))
    return plain.removesuffix(SHARED) if plain.endswith(SHARED) else f"{plain}{SHARED}"


def devices_per_node(pool: NodePoolArgs) -> Mapping[str, int]:
    """GPU resources of one node of the pool, by full name.

    Where nodes are cut differently it is the most that any of them offers. Empty for a CPU pool,
    for `all-enabled`, and where the model or the layout is not known, which a rule reports.
    """
    most: dict[str, int] = {}
    for part in parts_of(pool):
        for resource, count in devices_of(pool, part.cut).items():
            most[resource] = max(count, most.get(resource, 0))
    return MappingProxyType(most)


def mean_devices(pool: NodePoolArgs) -> Mapping[str, Fraction]:
    """GPU resources of a node on average, by full name: all nodes alike are their own average."""
    if pool.size == 0:
        return {name: Fraction(count) for name, count in devices_per_node(pool).items()}
    return {name: Fraction(count, pool.size) for name, count in devices_in(pool).items()}


def kubernetes_pools(pools: Iterable[NodePoolArgs]) -> tuple[NodePoolArgs, ...]:
    """The pools that Kubernetes schedules: what its quotas and queues can give."""
    return tuple(pool for pool in pools if pool.workload == "kubernetes")


def slurm_pools(pools: Iterable[NodePoolArgs]) -> tuple[NodePoolArgs, ...]:
    """The pools that Slurm schedules."""
    return tuple(pool for pool in pools if pool.workload == "slurm")


def devices_in(pool: NodePoolArgs) -> Mapping[str, int]:
    """GPU resources of the whole pool, by full name: those that capacity is proven against."""
    sums: dict[str, int] = {}
    for part in parts_of(pool):
        for resource, count in devices_of(pool, part.cut).items():
            sums[resource] = sums.get(resource, 0) + count * part.count
    return MappingProxyType(sums)


def devices_of(pool: NodePoolArgs, cut: Cut) -> Mapping[str, int]:
    """GPU resources of a node of the pool that is cut in a certain way, by full name."""
    counts = unshared_devices(pool, cut)
    if pool.sharing is None:
        return counts
    replicas = pool.sharing.replicas
    return MappingProxyType(
        {f"{resource}{SHARED}": count * replicas for resource, count in counts.items()}
    )


def unshared_devices(pool: NodePoolArgs, cut: Cut) -> Mapping[str, int]:
    """The same while each GPU and each MIG instance is one pod's."""
    single = pool.mig is not None and pool.mig.strategy == "single"
    counts: dict[str, int] = {}
    # Most nodes have one kind of GPU: what is the same object is counted once.
    for number, instances in _kinds(cut):
        kind = {WHOLE_GPU: 1} if instances is None else _named(instances, single=single)
        for resource, count in kind.items():
            counts[resource] = counts.get(resource, 0) + count * number
    return MappingProxyType(counts)


def _kinds(cut: Cut) -> Iterable[tuple[int, Instances | None]]:
    numbers = Counter(map(id, cut.gpus))
    return ((numbers[name], one) for name, one in {id(one): one for one in cut.gpus}.items())


def _named(instances: Instances, *, single: bool) -> Mapping[str, int]:
    if not single:
        return {resource_name(f"mig-{profile}"): each for profile, each in instances.items()}
    total = sum(instances.values())
    return {WHOLE_GPU: total} if total else {}
