"""Design rules of driver upgrades: whose drivers go in waves, and which nodes go first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed


@rule(ERROR, waivable=False)
def upgrade_of_foreign_driver(case: Case) -> Iterator[Fault]:
    """A pool says how drivers are upgraded that somebody else installs."""
    for path, pool, _ in _upgraded(case):
        if pool.driver is not None and pool.driver.source != "operator":
            message = f"is set, and the driver comes from {pool.driver.source}"
            fix = "remove upgrade, or have the operator install the driver (source: operator)"
            yield Fault(path, message, fix)


@rule(ERROR, waivable=False)
def upgrade_without_waves(case: Case) -> Iterator[Fault]:
    """A pool whose nodes we do not lead through an upgrade says how."""
    for path, pool, _ in _upgraded(case):
        if pool.driver is not None and pool.driver.source != "operator":
            continue
        if pool.nodes is None:
            message = "is set on a pool found by a selector, whose nodes we do not touch"
            yield Fault(path, message, "name its nodes, or remove upgrade: they go one by one")
        elif pool.driver is not None and pool.driver.precompiled:
            message = "is set, and of a precompiled driver nobody says beforehand which it is"
            yield Fault(path, message, "remove upgrade: nodes go one by one; or precompiled")
        elif pool.workload == "slurm":
            message = "is set on a pool of Slurm, which would lose its jobs"
            fix = "remove upgrade; drain each node in Slurm and delete its driver pod"
            yield Fault(path, message, fix)


@rule(ERROR, waivable=False)
def canary_not_in_pool(case: Case) -> Iterator[Fault]:
    """A node that is to get drivers first is not in the pool."""
    for path, pool, upgrade in _upgraded(case):
        if pool.nodes is None:
            continue
        strangers = [name for name in upgrade.canaries if name not in pool.node_names]
        if strangers:
            verb = "is" if len(strangers) == 1 else "are"
            message = f"{listed(strangers)} {verb} not in pool {pool.name}"
            yield Fault(f"{path}.canary", message, f"name nodes of {pool.nodes}")


@rule(WARNING)
def canary_is_everybody(case: Case) -> Iterator[Fault]:
    """All nodes of a pool are to get drivers first, so that a bad one reaches all of them."""
    for path, pool, upgrade in _upgraded(case):
        everybody = set(pool.node_names) <= set(upgrade.canaries)
        if len(pool.node_names) > 1 and everybody:
            message = f"names all {len(pool.node_names)} nodes of the pool"
            yield Fault(f"{path}.canary", message, f"name one: {pool.node_names[0]}")


def _upgraded(case: Case) -> Iterator[tuple[str, NodePoolArgs, UpgradeArgs]]:
    """Pools that say how their drivers are upgraded."""
    for path, pool in case.each_pool():
        if pool.driver is not None and pool.driver.upgrade is not None:
            yield f"{path}.driver.upgrade", pool, pool.driver.upgrade


RULES: Final[tuple[Rule, ...]] = (
    upgrade_of_foreign_driver,
    upgrade_without_waves,
    canary_not_in_pool,
    canary_is_everybody,
)
