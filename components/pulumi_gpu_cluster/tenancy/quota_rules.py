"""Design rules of quotas: promises that can be kept, about things that exist."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Final

from pulumi_gpu_cluster.network.resources import means_rdma
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import (
    counterpart,
    devices_per_node,
    kubernetes_pools,
    resource_name,
    short_name,
)
from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.tenancy.args import PoolQuotaArgs, TenantArgs
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, Share, node_amount, pool_amount
from pulumi_gpu_cluster.wording import instead, listed

_MEBI: Final = 2**20


@rule(ERROR, waivable=False)
def quota_unknown_pool(case: Case) -> Iterator[Fault]:
    """A quota names a pool that the site does not have."""
    for index, tenant in _tenants(case):
        for name in tenant.quota.pools:
            if name not in case.pools:
                fix = instead(name, list(case.pools))
                yield Fault(f"site.tenants[{index}].quota.{name}", f"there is no pool {name}", fix)


@rule(ERROR, waivable=False)
def quota_unknown_resource(case: Case) -> Iterator[Fault]:
    """A quota names a resource that its pool does not offer."""
    for index, pool, quota in quotas(case):
        offered = {short_name(resource) for resource in devices_per_node(pool)}
        if not offered and pool.gpu is not None and pool.mig is not None:
            continue  # An unknown model or layout, or one without instances: said elsewhere.
        for short in quota.devices:
            if short_name(resource_name(short)) in offered:
                continue
            if pool.fabric is not None and means_rdma(short):
                continue  # There, and nothing to have a quota of: said elsewhere.
            if counterpart(short) in offered:
                continue  # There, under the name of shared ones, or of whole ones: said elsewhere.
            message = f"pool {pool.name} offers no {short}"
            fix = _offer(short, sorted(offered)) or f"remove it: pool {pool.name} has no GPUs"
            yield Fault(quota_path(index, pool.name, short), message, fix)


@rule(ERROR, waivable=False)
def quota_guarantee_over_ceiling(case: Case) -> Iterator[Fault]:
    """A guarantee is more than its ceiling."""
    for where, _, resource, share in _stated(case):
        if share.guarantee > share.ceiling:
            less = _text(resource, share.ceiling)
            message = f"guarantees {_text(resource, share.guarantee)}, and the ceiling is {less}"
            yield Fault(where, message, "raise the ceiling, or leave it out")


@rule(ERROR)
def quota_over_capacity(case: Case) -> Iterator[Fault]:
    """Guarantees of one resource in one pool add up to more than the pool has."""
    taken: dict[tuple[str, str], list[tuple[int, Fraction]]] = defaultdict(list)
    stated: set[tuple[str, str]] = set()
    for index, pool, quota in quotas(case):
        stated.update((pool.name, resource) for resource in _given(quota))
        for resource, share in case.shares[index][pool.name].items():
            if share.guarantee:
                taken[pool.name, resource].append((index, share.guarantee))
    for (name, resource), parts in taken.items():
        pool = case.pools[name]
        # What nobody stated follows from the GPUs, and is over where they are; what the pool does
        # not offer is another rule's.
        if (name, resource) not in stated or not _offers(pool, resource):
            continue
        has = pool_amount(pool, resource)
        total = sum((amount for _, amount in parts), Fraction(0))
        if total <= has:
            continue
        those = listed(
            (
                f"{case.site.tenants[index].name} ({_text(resource, amount)})"
                for index, amount in parts
            ),
            most=None,
        )
        message = (
            f"guarantees of {_key(resource)} in pool {name} add up to {_text(resource, total)}: "
            f"{those}; the pool has {_text(resource, has)} on {_nodes(pool)}"
        )
        fix = f"lower guarantees by {_text(resource, total - has)}, and let ceilings do the rest"
        yield Fault(quota_path(_over_from(parts, has), name, _key(resource)), message, fix)


@rule(WARNING)
def quota_ceiling_over_capacity(case: Case) -> Iterator[Fault]:
    """A ceiling is more than the whole pool has."""
    for where, pool, resource, share in _stated(case):
        if share.ceiling == share.guarantee:
            continue
        most = node_amount(pool, resource) * pool.largest
        if most and share.ceiling > most >= share.guarantee:
            text = _text(resource, most)
            message = (
                f"the ceiling {_text(resource, share.ceiling)} is more than the {text} that "
                f"pool {pool.name} can have"
            )
            yield Fault(where, message, f"write at most {text}")


@rule(ERROR)
def quota_ceiling_below_guarantees(case: Case) -> Iterator[Fault]:
    """A tenant's ceiling over all pools is less than its guarantees in them."""
    counted = [pool.name for pool in kubernetes_pools(case.site.node_pools)]
    for index, tenant in _tenants(case):
        for resource, ceiling in ((CPU, tenant.quota.cpu), (MEMORY, tenant.quota.memory)):
            if ceiling is None:
                continue
            pools = [case.shares[index][name] for name in counted if name in case.shares[index]]
            total = sum((pool[resource].guarantee for pool in pools), Fraction(0))
            if total > value(ceiling):
                message = f"{ceiling} in all, and the pools guarantee {_text(resource, total)}"
                fix = f"write at least {_text(resource, total)}, or leave it out"
                yield Fault(f"site.tenants[{index}].quota.{resource}", message, fix)


@rule(WARNING)
def quota_empty(case: Case) -> Iterator[Fault]:
    """A tenant has CPU and memory in no pool, so that nothing can run."""
    for index, tenant in _tenants(case):
        if tenant.state != "active" or any(
            _hidden_by_another(case, name, quota) for name, quota in tenant.quota.pools.items()
        ):
            continue
        pools = case.shares[index]
        if not any(pool[CPU].ceiling and pool[MEMORY].ceiling for pool in pools.values()):
            message = "gives CPU and memory in no pool: no pod of the tenant can run"
            yield Fault(f"site.tenants[{index}].quota", message, "add a pool with its resources")


@rule(ERROR, waivable=False)
def quota_memory_without_unit(case: Case) -> Iterator[Fault]:
    """A quota's memory is so little that its unit was forgotten."""
    for index, tenant in _tenants(case):
        stated = [(f"site.tenants[{index}].quota.memory", tenant.quota.memory)]
        for name, quota in tenant.quota.pools.items():
            if quota.memory is not None:
                path = quota_path(index, name, MEMORY)
                stated += [(path, quota.memory.guarantee), (path, quota.memory.ceiling)]
        for path, amount in dict.fromkeys(stated):
            if amount is not None and 0 < value(amount) < _MEBI:
                message = f"{amount} is less than a mebibyte: without a unit it counts bytes"
                example = f"{amount}Gi" if amount.isdigit() else "256Gi"
                yield Fault(path, message, f"add the unit, for example {example}")


def _tenants(case: Case) -> Iterator[tuple[int, TenantArgs]]:
    """Tenants that have something, with their places in the file."""
    for index, tenant in enumerate(case.site.tenants):
        if tenant.state != "removed":
            yield index, tenant


def quotas(case: Case) -> Iterator[tuple[int, NodePoolArgs, PoolQuotaArgs]]:
    """Each tenant's quota in each pool that exists, with the tenant's place in the file."""
    for index, tenant in _tenants(case):
        for name, quota in tenant.quota.pools.items():
            if name in case.pools:
                yield index, case.pools[name], quota


def _hidden_by_another(case: Case, name: str, quota: PoolQuotaArgs) -> bool:
    """Whether what the quota gives cannot be told for a fault that other rules tell."""
    if name not in case.pools:
        return True
    follows = quota.cpu is None and quota.memory is None
    offered = devices_per_node(case.pools[name])
    given = [short for short, count in quota.devices.items() if count.limit]
    return follows and any(resource_name(short) not in offered for short in given)


def quota_path(index: int, pool: str, key: str) -> str:
    """Path of one resource in a tenant's quota in a pool."""
    return f"site.tenants[{index}].quota.{pool}.{key}"


def _stated(case: Case) -> Iterator[tuple[str, NodePoolArgs, str, Share]]:
    """Each share that a quota states itself, with its path; what follows from it is left out."""
    for index, pool, quota in quotas(case):
        shares = case.shares[index][pool.name]
        for resource in _given(quota):
            yield quota_path(index, pool.name, _key(resource)), pool, resource, shares[resource]


def _given(quota: PoolQuotaArgs) -> list[str]:
    """The resources that a quota states itself."""
    amounts = [key for key in (CPU, MEMORY) if getattr(quota, key) is not None]
    return [*(resource_name(short) for short in quota.devices), *amounts]


def _offers(pool: NodePoolArgs, resource: str) -> bool:
    return resource in (CPU, MEMORY) or resource in devices_per_node(pool)


def _offer(short: str, offered: list[str]) -> str | None:
    """What to write instead of a resource that the pool does not offer."""
    bare = short.rpartition("/")[2]
    if bare in offered:
        return f"write {bare}: the prefix is understood"
    if re.match(r"gpu\b|mig-", bare):
        return instead(bare, offered, "write") if offered else None
    return instead(bare, [*offered, CPU, MEMORY], "write")


def _over_from(parts: list[tuple[int, Fraction]], has: Fraction) -> int:
    """The tenant with which, in the order of the file, the pool runs out."""
    totals = accumulate(amount for _, amount in parts)
    return next(index for (index, _), total in zip(parts, totals, strict=True) if total > has)


def _key(resource: str) -> str:
    return short_name(resource)


def _text(resource: str, amount: Fraction) -> str:
    return text_of(amount, binary=resource == MEMORY)


def _nodes(pool: NodePoolArgs) -> str:
    return "1 node" if pool.size == 1 else f"{pool.size} nodes"


RULES: Final[tuple[Rule, ...]] = (
    quota_unknown_pool,
    quota_unknown_resource,
    quota_guarantee_over_ceiling,
    quota_over_capacity,
    quota_ceiling_over_capacity,
    quota_ceiling_below_guarantees,
    quota_empty,
    quota_memory_without_unit,
)
