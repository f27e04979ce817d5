"""Design rules of quotas: promises that can be kept, about things that exist."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node, resource_name, short_name
from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.tenancy.args import PoolQuotaArgs, TenantArgs
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, node_amount, pool_amount
from pulumi_gpu_cluster.wording import instead, listed


@rule(ERROR)
def quota_unknown_pool(case: Case) -> Iterator[Fault]:
    """A quota names a pool that the site does not have."""
    for path, tenant in _tenants(case):
        for name in tenant.quota.pools:
            if name not in case.pools:
                fix = instead(name, list(case.pools))
                yield Fault(f"{path}.quota.{name}", f"there is no pool {name}", fix)


@rule(ERROR)
def quota_unknown_resource(case: Case) -> Iterator[Fault]:
    """A quota names a resource that its pool does not offer."""
    for path, _, pool, quota in _quotas(case):
        offered = {short_name(resource) for resource in devices_per_node(pool)}
        if not offered and pool.gpu is not None and pool.mig is not None:
            continue  # An unknown model or layout, or one without instances: said elsewhere.
        for short in quota.devices:
            if short_name(resource_name(short)) in offered:
                continue
            message = f"pool {pool.name} offers no {short}"
            fix = _offer(short, sorted(offered)) or f"remove it: pool {pool.name} has no GPUs"
            yield Fault(f"{path}.quota.{pool.name}.{short}", message, fix)


@rule(ERROR)
def quota_guarantee_over_ceiling(case: Case) -> Iterator[Fault]:
    """A guarantee is more than its ceiling."""
    for path, tenant, pool, quota in _quotas(case):
        given = _given(quota)
        for resource, share in case.shares[tenant.name].get(pool.name, {}).items():
            if resource in given and share.guarantee > share.ceiling:
                less = _text(resource, share.ceiling)
                message = (
                    f"guarantees {_text(resource, share.guarantee)}, and the ceiling is {less}"
                )
                where = f"{path}.quota.{pool.name}.{_key(resource)}"
                yield Fault(where, message, "raise the ceiling, or leave it out")


@rule(ERROR)
def quota_over_capacity(case: Case) -> Iterator[Fault]:
    """Guarantees of one resource in one pool add up to more than the pool has."""
    taken: dict[tuple[str, str], list[tuple[str, str, Fraction]]] = defaultdict(list)
    stated: set[tuple[str, str]] = set()
    for path, tenant, pool, quota in _quotas(case):
        stated |= {(pool.name, resource) for resource in _given(quota)}
        for resource, share in case.shares[tenant.name].get(pool.name, {}).items():
            if share.guarantee:
                taken[pool.name, resource].append((path, tenant.name, share.guarantee))
    for (name, resource), parts in taken.items():
        pool = case.pools[name]
        # What nobody stated follows from the GPUs, and is over where they are; what the pool does
        # not offer is another rule's.
        if (name, resource) not in stated or not _offers(pool, resource):
            continue
        has = pool_amount(pool, resource)
        total = sum((amount for _, _, amount in parts), Fraction(0))
        if total <= has:
            continue
        those = listed(f"{tenant} ({_text(resource, amount)})" for _, tenant, amount in parts)
        message = (
            f"guarantees of {_key(resource)} in pool {name} add up to {_text(resource, total)}: "
            f"{those}; the pool has {_text(resource, has)} on {_nodes(pool)}"
        )
        fix = f"lower guarantees by {_text(resource, total - has)}, and let ceilings do the rest"
        yield Fault(f"{_over_from(parts, has)}.quota.{name}.{_key(resource)}", message, fix)


@rule(WARNING)
def quota_ceiling_over_capacity(case: Case) -> Iterator[Fault]:
    """A ceiling is more than the whole pool has."""
    for path, tenant, pool, quota in _quotas(case):
        given = _given(quota)
        for resource, share in case.shares[tenant.name].get(pool.name, {}).items():
            most = node_amount(pool, resource) * pool.largest
            if resource in given and most and share.ceiling > most >= share.guarantee:
                message = (
                    f"the ceiling {_text(resource, share.ceiling)} is more than the "
                    f"{_text(resource, most)} that pool {pool.name} can have"
                )
                where = f"{path}.quota.{pool.name}.{_key(resource)}"
                yield Fault(where, message, f"write at most {_text(resource, most)}")


@rule(ERROR)
def quota_ceiling_below_guarantees(case: Case) -> Iterator[Fault]:
    """A tenant's ceiling over all pools is less than its guarantees in them."""
    for path, tenant in _tenants(case):
        for resource, ceiling in ((CPU, tenant.quota.cpu), (MEMORY, tenant.quota.memory)):
            if ceiling is None:
                continue
            pools = case.shares[tenant.name].values()
            total = sum((pool[resource].guarantee for pool in pools), Fraction(0))
            if total > value(ceiling):
                message = f"{ceiling} in all, and the pools guarantee {_text(resource, total)}"
                fix = f"write at least {_text(resource, total)}, or leave it out"
                yield Fault(f"{path}.quota.{resource}", message, fix)


@rule(WARNING)
def quota_empty(case: Case) -> Iterator[Fault]:
    """A tenant has no quota in any pool, so that none of its pods can run."""
    for path, tenant in _tenants(case):
        if tenant.state == "active" and not tenant.quota.pools and tenant.quota.cpu is None:
            message = "gives nothing in any pool: no pod of the tenant can run"
            yield Fault(f"{path}.quota", message, "add a pool with its resources")


def _tenants(case: Case) -> Iterator[tuple[str, TenantArgs]]:
    """Tenants that have something, with their paths."""
    for index, tenant in enumerate(case.site.tenants):
        if tenant.state != "removed":
            yield f"site.tenants[{index}]", tenant


def _quotas(case: Case) -> Iterator[tuple[str, TenantArgs, NodePoolArgs, PoolQuotaArgs]]:
    """Each tenant's quota in each pool that exists."""
    for path, tenant in _tenants(case):
        for name, quota in tenant.quota.pools.items():
            if name in case.pools:
                yield path, tenant, case.pools[name], quota


def _given(quota: PoolQuotaArgs) -> set[str]:
    """The resources that a quota states itself."""
    amounts = {key for key in (CPU, MEMORY) if getattr(quota, key) is not None}
    return amounts | {resource_name(short) for short in quota.devices}


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


def _over_from(parts: list[tuple[str, str, Fraction]], has: Fraction) -> str:
    """The tenant with which, in the order of the file, the pool runs out."""
    total = Fraction(0)
    for path, _, amount in parts:
        total += amount
        if total > has:
            return path
    raise AssertionError("called although the pool has enough")


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
)
