"""From shares to Kueue's quotas: one group of resources, one flavor per pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.quantity import text_of
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, Share, node_amount, offered

_NOTHING: Final = Share(Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class FlavorQuota:
    """What a queue or cohort has of one flavor.

    Attributes:
        flavor: Name of the flavor, which is its pool's.
        shares: Its share of each resource; nothing of those that are not there.
    """

    flavor: str
    shares: Mapping[str, Share]


def in_order(pools: Iterable[NodePoolArgs]) -> list[NodePoolArgs]:
    """Pools in the order in which Kueue is to try them: without GPUs first.

    A job that asks for no GPU then fills GPU nodes only when the others are full.
    """
    return sorted(pools, key=lambda pool: pool.gpu is not None)


def tenant_quotas(
    shares: Mapping[str, Mapping[str, Share]], pools: Iterable[NodePoolArgs]
) -> list[FlavorQuota]:
    """A tenant's quotas, one for each pool it has a share of."""
    return [
        FlavorQuota(pool.name, shares[pool.name]) for pool in in_order(pools) if pool.name in shares
    ]


def unpromised(
    pools: Iterable[NodePoolArgs], promised: Iterable[Mapping[str, Mapping[str, Share]]]
) -> list[FlavorQuota]:
    """What is left of each pool when every guarantee is kept: for anybody to borrow.

    Kueue lends only what some queue or cohort holds; what nobody was promised would lie idle. Of a
    pool that scales it is what the largest pool would leave: so a node that appears is used
    without another run, and jobs that wait for one are what makes it appear.

    Args:
        pools: All pools.
        promised: Every tenant's shares, by pool and resource.
    """
    tenants = list(promised)
    quotas: list[FlavorQuota] = []
    for pool in in_order(pools):
        left: dict[str, Share] = {}
        for resource in (CPU, MEMORY, *offered([pool])):
            taken = sum(
                (tenant.get(pool.name, {}).get(resource, _NOTHING).guarantee for tenant in tenants),
                Fraction(0),
            )
            rest = max(node_amount(pool, resource) * pool.largest - taken, Fraction(0))
            left[resource] = Share(rest, rest)
        quotas.append(FlavorQuota(pool.name, left))
    return quotas


def resource_groups(quotas: Sequence[FlavorQuota], *, borrowing: bool) -> list[dict[str, Any]]:
    """The quotas as Kueue takes them.

    One group only, so that a job's CPUs, memory and GPUs come from the same flavor. Kueue
    wants every flavor of a group to state every resource, hence the zeros.

    Args:
        quotas: What there is of each flavor.
        borrowing: Whether to state how much may be borrowed beyond the guarantee.
    """
    if not quotas:
        return []
    devices = sorted({name for quota in quotas for name in quota.shares} - {CPU, MEMORY})
    covered = [CPU, MEMORY, *devices]
    return [
        {
            "coveredResources": covered,
            "flavors": [
                {
                    "name": quota.flavor,
                    "resources": [
                        _resource(name, quota.shares.get(name, _NOTHING), borrowing=borrowing)
                        for name in covered
                    ],
                }
                for quota in quotas
            ],
        }
    ]


def _resource(name: str, share: Share, *, borrowing: bool) -> dict[str, str]:
    binary = name == MEMORY
    quota = {"name": name, "nominalQuota": text_of(share.guarantee, binary=binary)}
    if borrowing:
        beyond = max(share.ceiling - share.guarantee, Fraction(0))
        quota["borrowingLimit"] = text_of(beyond, binary=binary)
    return quota
