"""What each tenant has: its guarantee and ceiling, per pool and resource, and their sums.

One place works out the numbers; queues, resource quotas, the capacity table and the proofs all
read them here. Amounts are exact and in base units: pieces, cores, bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import (
    devices_in,
    kubernetes_pools,
    mean_devices,
    resource_name,
)
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.props import SHARED, WHOLE_GPU
from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.slurm.node_size import slurm_memory
from pulumi_gpu_cluster.storage.classes import storage_classes
from pulumi_gpu_cluster.tenancy.args import PoolQuotaArgs, QuantityShare, TenantArgs
from pulumi_gpu_cluster.tenancy.storage_ceilings import storage_ceilings

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site

CPU: Final = "cpu"
MEMORY: Final = "memory"

_GIBI: Final = Fraction(2**30)
_MEBI: Final = Fraction(2**20)
_CORE: Final = Fraction(1)
_MILLI: Final = Fraction(1, 1000)
_WHOLE: Final[Mapping[str, int]] = MappingProxyType({WHOLE_GPU: 1})


@dataclass(frozen=True, slots=True)
class Share:
    """A tenant's part of one resource in one pool.

    Attributes:
        guarantee: What it surely gets.
        ceiling: The most it may ever have.
    """

    guarantee: Fraction
    ceiling: Fraction


def node_amount(pool: NodePoolArgs, resource: str) -> Fraction:
    """What one node of the pool has of a resource: cpu, memory, or a GPU resource's full name.

    Of the memory of Slurm's nodes, what jobs can have. On average, where nodes are cut differently.
    """
    if resource == CPU:
        return Fraction(pool.cpus)
    if resource == MEMORY:
        return Fraction(slurm_memory(pool)) if pool.workload == "slurm" else value(pool.memory)
    return mean_devices(pool).get(resource, Fraction(0))


def pool_amount(pool: NodePoolArgs, resource: str) -> Fraction:
    """What the whole pool has of a resource: what capacity is proven against."""
    return node_amount(pool, resource) * pool.size


def pool_shares(
    tenant: TenantArgs, pools: Iterable[NodePoolArgs]
) -> Mapping[str, Mapping[str, Share]]:
    """The tenant's shares by pool and resource, for the pools its quota names.

    A share stands under the resource's full name, cpu and memory always among them. A tenant
    that is removed has none.
    """
    if tenant.state == "removed":
        return MappingProxyType({})
    by_name = {pool.name: pool for pool in pools}
    return MappingProxyType(
        {
            name: _shares_in(by_name[name], quota)
            for name, quota in tenant.quota.pools.items()
            if name in by_name
        }
    )


def shares(site: Site) -> Mapping[str, Mapping[str, Mapping[str, Share]]]:
    """Every tenant's shares: by tenant, pool and resource."""
    return MappingProxyType(
        {tenant.name: pool_shares(tenant, site.node_pools) for tenant in site.tenants}
    )


def ceilings(site: Site, tenant: TenantArgs) -> Mapping[str, str]:
    """The hard limits of the tenant's ResourceQuota: its ceilings, summed over the pools.

    Every GPU resource that any pool offers is there, with 0 where the tenant has none: what a
    quota does not name, it does not limit. Extended resources are only ever counted as
    `requests.`; the API server takes `limits.nvidia.com/gpu` and never counts it. What the tenant
    has in Slurm is Slurm's to hold, and not counted in the namespace.
    """
    sums = dict.fromkeys(offered(site.node_pools), Fraction(0)) | {
        CPU: Fraction(0),
        MEMORY: Fraction(0),
    }
    for resources in pool_shares(tenant, kubernetes_pools(site.node_pools)).values():
        for resource, share in resources.items():
            sums[resource] = sums.get(resource, Fraction(0)) + share.ceiling
    cpu, memory = sums.pop(CPU), sums.pop(MEMORY)
    memory_text = tenant.quota.memory or text_of(memory, binary=True)
    return MappingProxyType(
        {
            "requests.cpu": tenant.quota.cpu or text_of(cpu, binary=False),
            "requests.memory": memory_text,
            "limits.memory": memory_text,
            **{
                f"requests.{name}": text_of(amount, binary=False)
                for name, amount in sorted(sums.items())
            },
            "pods": str(tenant.quota.pods),
            **storage_ceilings(tenant, storage_classes(site.storage)),
        }
    )


def beside_each(
    pool: NodePoolArgs, held: Mapping[str, Share], resource: str
) -> Mapping[str, Fraction]:
    """CPU and memory that a tenant has in a pool for each of its devices of one kind.

    Args:
        pool: The pool.
        held: The tenant's shares there, by resource.
        resource: Full name of the device's resource.
    """
    weights = _weights(pool)
    devices = {name: share for name, share in held.items() if name not in (CPU, MEMORY)}
    weight = sum((weights.get(name, 0) * one.ceiling for name, one in devices.items()), Fraction(0))
    part = weights.get(resource, 0) / weight if weight else Fraction(0)
    return {
        CPU: _rounded_down(held[CPU].ceiling * part, (_CORE, _MILLI)),
        MEMORY: _rounded_down(held[MEMORY].ceiling * part, (_GIBI, _MEBI)),
    }


def offered(pools: Iterable[NodePoolArgs]) -> tuple[str, ...]:
    """Full names of the GPU resources that any of the pools has to give, sorted."""
    return tuple(sorted({resource for pool in pools for resource in devices_in(pool)}))


def _shares_in(pool: NodePoolArgs, quota: PoolQuotaArgs) -> Mapping[str, Share]:
    devices = {
        resource_name(short): Share(Fraction(count.guarantee), Fraction(count.limit))
        for short, count in quota.devices.items()
    }
    nodes = _nodes_worth(pool, quota, devices)
    return MappingProxyType(
        {
            **devices,
            CPU: _amount(quota.cpu, nodes, node_amount(pool, CPU), (_CORE, _MILLI)),
            MEMORY: _amount(quota.memory, nodes, node_amount(pool, MEMORY), (_GIBI, _MEBI)),
        }
    )


def _nodes_worth(pool: NodePoolArgs, quota: PoolQuotaArgs, devices: Mapping[str, Share]) -> Share:
    """How many nodes' worth is the tenant's, from which cpu and memory follow by default.

    It goes by the GPUs, MIG instances weighed by their compute slices: whatever splits the GPUs
    without overlap then splits the rest without overlap too. Where no GPUs are given, the one
    of cpu and memory that is given decides the other.
    """
    weights = _weights(pool)
    node = sum(weights.get(name, 0) * count for name, count in mean_devices(pool).items())
    if devices and node:
        weighed = [(weights.get(name, 0), share) for name, share in devices.items()]
        return Share(
            sum((weight * share.guarantee for weight, share in weighed), Fraction(0)) / node,
            sum((weight * share.ceiling for weight, share in weighed), Fraction(0)) / node,
        )
    for given, resource in ((quota.cpu, CPU), (quota.memory, MEMORY)):
        amount = node_amount(pool, resource)
        if given is not None and amount:
            return Share(value(given.guarantee) / amount, value(given.limit) / amount)
    return Share(Fraction(0), Fraction(0))


def _weights(pool: NodePoolArgs) -> Mapping[str, int]:
    """Compute slices of each GPU resource; all alike where they are not told apart.

    Of a pool that shares its GPUs every resource is divided by one number, so that its slices
    weigh as much to each other as the whole ones.
    """
    model = model_of(pool.gpu) if pool.gpu is not None else None
    weights = dict(_WHOLE)
    if model is not None and model.mig is not None and pool.mig is not None:
        weights[WHOLE_GPU] = model.mig.compute_slices
        for one in model.mig.profiles.values():
            weights[resource_name(f"mig-{one.name}")] = one.compute_slices
    if pool.sharing is None:
        return weights
    return {f"{resource}{SHARED}": weight for resource, weight in weights.items()}


def _amount(
    given: QuantityShare | None, nodes: Share, node: Fraction, units: tuple[Fraction, Fraction]
) -> Share:
    if given is not None:
        return Share(value(given.guarantee), value(given.limit))
    return Share(
        _rounded_down(nodes.guarantee * node, units), _rounded_down(nodes.ceiling * node, units)
    )


def _rounded_down(amount: Fraction, units: tuple[Fraction, Fraction]) -> Fraction:
    """Down to whole cores or Gi; on small pools to thousandths or Mi, so that some is left."""
    coarse, fine = units
    unit = coarse if amount >= coarse else fine
    return amount // unit * unit
