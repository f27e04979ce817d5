"""Design rules of the batch scheduler."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.capacity import devices_in, short_name
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.scheduling.args import KueueArgs, VolcanoArgs
from pulumi_gpu_cluster.scheduling.choice import NODE_GROUP_LABEL
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY
from pulumi_gpu_cluster.wording import listed


@rule(ERROR)
def node_group_missing(case: Case) -> Iterator[Fault]:
    """Volcano finds a pool by a label that nobody sets on nodes found by a selector."""
    if case.site.scheduler.kind != "volcano":
        return
    for path, pool in case.each_pool():
        if pool.workload != "kubernetes":
            continue
        if pool.selector is not None and NODE_GROUP_LABEL not in pool.selector:
            message = f"Volcano knows a pool by {NODE_GROUP_LABEL}, and we label no nodes here"
            fix = f"label the nodes and add `{NODE_GROUP_LABEL}: {pool.name}` to the selector"
            yield Fault(f"{path}.selector", message, fix)


@rule(ERROR)
def scheduler_settings_unused(case: Case) -> Iterator[Fault]:
    """The file holds settings of the scheduler that it does not choose."""
    scheduler = case.site.scheduler
    settings = {
        "kueue": scheduler.kueue != KueueArgs(),
        "volcano": scheduler.volcano != VolcanoArgs(),
    }
    other = "volcano" if scheduler.kind == "kueue" else "kueue"
    if settings[other]:
        message = f"settings of {other.title()}, and the scheduler is {scheduler.kind.title()}"
        fix = f"remove them, or write kind: {other}"
        yield Fault(f"site.scheduler.{other}", message, fix)


@rule(WARNING)
def share_over_pools(case: Case) -> Iterator[Fault]:
    """Volcano divides the GPUs of several pools as if they were one pool."""
    scheduler = case.site.scheduler
    if scheduler.kind != "volcano" or scheduler.volcano.share != "proportion":
        return
    pools: dict[str, list[str]] = defaultdict(list)
    for _, pool in case.each_pool():
        for resource in devices_in(pool):
            pools[short_name(resource)].append(pool.name)
    for short, names in pools.items():
        if len(names) > 1:
            message = f"proportion divides {short} of pools {listed(names)} as one, by weight"
            fix = "write share: capacity, which goes by each pool's guarantees"
            yield Fault("site.scheduler.volcano.share", message, fix)


@rule(WARNING)
def queue_share_below_gang(case: Case) -> Iterator[Fault]:
    """A tenant's share of a pool is too small for its smallest job."""
    for index, tenant in enumerate(case.site.tenants):
        if tenant.gang is None:
            continue
        for pool, shares in case.shares[index].items():
            held = {name: one for name, one in shares.items() if name not in (CPU, MEMORY)}
            for resource, share in held.items():
                path = f"site.tenants[{index}].quota.{pool}.{short_name(resource)}"
                if share.ceiling < tenant.gang:
                    message = (
                        f"the most it may have is {share.ceiling}, and its smallest job takes "
                        f"{tenant.gang} at once: none ever starts here"
                    )
                    fix = f"raise the ceiling to {tenant.gang} or more, or remove the entry"
                    yield Fault(path, message, fix)
                elif share.guarantee < tenant.gang:
                    message = (
                        f"guarantees {share.guarantee}, and its smallest job takes {tenant.gang} "
                        "at once: it starts only on what others leave"
                    )
                    yield Fault(path, message, f"guarantee {tenant.gang}, or lower gang")


RULES: Final[tuple[Rule, ...]] = (
    node_group_missing,
    scheduler_settings_unused,
    share_over_pools,
    queue_share_below_gang,
)
