"""What each pool has of each resource, and how much of it is promised to tenants."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pulumi_gpu_cluster.node_pools.capacity import devices_in
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, pool_amount, shares

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site


@dataclass(frozen=True, slots=True)
class Balance:
    """One resource of one pool, in pieces, cores or bytes.

    Attributes:
        pool: The pool's name.
        resource: The resource's full name.
        total: What the pool has.
        promised: The sum of the tenants' guarantees; more than the total on a faulty site.
    """

    pool: str
    resource: str
    total: Fraction
    promised: Fraction

    @property
    def free(self) -> Fraction:
        """What is left to promise; negative where too much is promised."""
        return self.total - self.promised


def balances(site: Site) -> tuple[Balance, ...]:
    """Every resource of every pool: GPU resources first, then cpu and memory."""
    promised: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for by_pool in shares(site).values():
        for pool, resources in by_pool.items():
            for resource, share in resources.items():
                promised[pool, resource] += share.guarantee
    return tuple(
        Balance(pool.name, resource, pool_amount(pool, resource), promised[pool.name, resource])
        for pool in site.node_pools
        for resource in (*devices_in(pool), CPU, MEMORY)
    )
