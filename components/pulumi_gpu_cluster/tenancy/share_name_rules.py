"""Design rule of quotas on shared GPUs: a share and a whole GPU never go by one name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.capacity import (
    counterpart,
    devices_per_node,
    resource_name,
    short_name,
)
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.tenancy.quota_rules import quota_path, quotas


@rule(ERROR, waivable=False)
def shared_name_mismatch(case: Case) -> Iterator[Fault]:
    """A quota counts whole GPUs where they are shared, or shares where they are whole."""
    for index, pool, quota in quotas(case):
        offered = {short_name(resource) for resource in devices_per_node(pool)}
        for short, count in quota.devices.items():
            other = counterpart(short)
            if other not in offered or short_name(resource_name(short)) in offered:
                continue
            path = quota_path(index, pool.name, short)
            if pool.sharing is None:
                message = f"pool {pool.name} shares no GPUs, and has no {short}"
                yield Fault(path, message, f"write {other}, or share them: sharing at the pool")
                continue
            replicas = pool.sharing.replicas
            message = (
                f"{replicas} pods share each of pool {pool.name}: a share is called {other}, and "
                f"nothing is called {short}"
            )
            fix = (
                f"write {other}: {count.guarantee * replicas} for as much as {count.guarantee} "
                f"whole, or {other}: {count.guarantee} for as many pods"
            )
            yield Fault(path, message, fix)


RULES: Final[tuple[Rule, ...]] = (shared_name_mismatch,)
