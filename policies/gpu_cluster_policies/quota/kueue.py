"""Kueue's cluster queues: resources covered alike, all of them, and no more than there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import NODE_POOL_READS, capacity, is_gpu, known_pools, offered
from gpu_cluster_policies.reading import entries, fields, number, string, words
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import (
    Config,
    Fault,
    ResourceRule,
    StackRule,
    Verdict,
    Violation,
    each,
)
from gpu_cluster_policies.settings import GPU_RESOURCES, POOLS, cannot_judge
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.node_pools.props import PoolProps
from pulumi_gpu_cluster.quantity import text_of

CLUSTER_QUEUE: Final = "kueue.x-k8s.io/ClusterQueue"
LOCAL_QUEUE: Final = "kueue.x-k8s.io/LocalQueue"
_COHORT: Final = "kueue.x-k8s.io/Cohort"
_FLAVOR: Final = "kueue.x-k8s.io/ResourceFlavor"
_READS: Final = {CLUSTER_QUEUE: ("metadata", "spec")}


def _uneven(queue: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for group in entries(queue.props, "spec", "resourceGroups"):
        covered = words(group, "coveredResources")
        for flavor in entries(group, "flavors"):
            named = [string(one, "name") for one in entries(flavor, "resources")]
            name = string(flavor, "name")
            for missing in sorted(set(covered) - set(named)):
                yield Fault(queue, f"flavor {name} gives no quota for {missing}, which is covered")
            for extra in sorted(set(named) - set(covered)):
                yield Fault(queue, f"flavor {name} gives a quota for {extra}, which is not covered")


KUEUE_COVERED_RESOURCES_DIFFER: Final = ResourceRule(
    id="kueue-covered-resources-differ",
    description="Every flavor of a ClusterQueue has a quota for exactly the covered resources.",
    why="Kueue refuses the queue, or leaves every workload that asks for the missing resource "
    "inadmissible.",
    mend="list the same resources in coveredResources and in each flavor",
    severity=Severity.HIGH,
    tags=("quota", "kueue"),
    reads=_READS,
    judge=_uneven,
)


def _uncovered(stack: Stack, config: Config) -> Iterator[Verdict]:
    seen: set[frozenset[str]] = set()
    for queue in stack.of(CLUSTER_QUEUE):
        if queue.clusters not in seen:
            seen.add(queue.clusters)
            yield from each((queue,), lambda one: _judge_cover(one, stack, config))


def _judge_cover(queue: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    known = offered(queue, stack, config, queued=True)
    if known is None:
        missing = "no node pool registers, and the configuration names no GPU resources"
        yield Violation(cannot_judge("what Kueue's queues cover", missing, "gpuResources"))
        return
    covered = {
        name
        for one in stack.beside(queue, CLUSTER_QUEUE)
        for group in entries(one.props, "spec", "resourceGroups")
        for name in words(group, "coveredResources")
    }
    missing_here = [name for name in known if name not in covered]
    if missing_here:
        yield Violation(
            f"{queue.shown}: no ClusterQueue covers {', '.join(missing_here)}, which the pools "
            f"offer; fix: {KUEUE_GPU_NOT_COVERED.mend}",
            queue.urn,
        )


KUEUE_GPU_NOT_COVERED: Final = StackRule(
    id="kueue-gpu-not-covered",
    description="Every GPU resource of the pools is covered by some ClusterQueue.",
    why="A workload that asks for a resource nobody covers is never admitted, and its owner sees "
    "a job that waits.",
    mend="add it to coveredResources and to a flavor of a queue",
    severity=Severity.HIGH,
    tags=("quota", "kueue"),
    reads={**_READS, **NODE_POOL_READS},
    judge=_uncovered,
    settings={"gpuResources": dict(GPU_RESOURCES), "pools": dict(POOLS)},
)


def _over_capacity(stack: Stack, config: Config) -> Iterator[Verdict]:
    seen: set[frozenset[str]] = set()
    for queue in stack.of(CLUSTER_QUEUE):
        if queue.clusters not in seen:
            seen.add(queue.clusters)
            yield from each((queue,), lambda one: _judge_sum(one, stack, config))


def _judge_sum(first: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    pools = [one for one in known_pools(first, stack, config) if one.workload == "kubernetes"]
    queues = stack.beside(first, CLUSTER_QUEUE)
    own = _promised(queues, first, stack, pools)
    if not any(own.values()):
        return
    if not pools or any(pool.nodes is None for pool in pools):
        missing = "nothing tells how many nodes the pools have"
        yield Violation(cannot_judge("the quotas of Kueue's queues", missing, "pools"))
        return
    # What a cohort adds is lent and not promised: it may count on nodes that are yet to come.
    lent = _promised((*queues, *stack.beside(first, _COHORT)), first, stack, pools)
    over = [key for key in own if own[key] > _most(pools, key, grown=False)]
    for key in sorted({*over, *(key for key in lent if lent[key] > _most(pools, key, grown=True))}):
        pool, name = key
        sums, grown = (own, False) if key in over else (lent, True)
        place = f"the pool {pool} has" if pool else "the pools have"
        most = text_of(_most(pools, key, grown=grown), binary=False)
        yield Violation(
            f"the nominal quotas of {name} add up to {text_of(sums[key], binary=False)} and "
            f"{place} {most}; fix: {KUEUE_QUOTA_OVER_CAPACITY.mend}",
            queues[-1].urn,
        )


def _most(pools: list[PoolProps], key: tuple[str, str], *, grown: bool) -> Fraction:
    pool, name = key
    chosen = [one for one in pools if not pool or one.name == pool]
    return capacity(chosen, grown=grown).get(name, Fraction(0))


def _promised(
    queues: Iterable[Resource], first: Resource, stack: Stack, pools: list[PoolProps]
) -> Mapping[tuple[str, str], Fraction]:
    """Sum of nominal quotas by pool and resource.

    A flavor whose labels are no single pool's counts against all pools together.
    """
    pool_of = {
        string(flavor.props, "metadata", "name"): _pool_of(flavor, pools)
        for flavor in stack.beside(first, _FLAVOR)
    }
    sums: dict[tuple[str, str], Fraction] = {}
    for queue in queues:
        for group in entries(queue.props, "spec", "resourceGroups"):
            for flavor in entries(group, "flavors"):
                pool = pool_of.get(string(flavor, "name"), "")
                for one in entries(flavor, "resources"):
                    name, quota = string(one, "name"), number(one, "nominalQuota")
                    if is_gpu(name) and quota:
                        key = (pool, name)
                        sums[key] = sums.get(key, Fraction(0)) + quota
    return sums


def _pool_of(flavor: Resource, pools: list[PoolProps]) -> str:
    labels = fields(flavor.props, "spec", "nodeLabels")
    chosen = [
        pool.name
        for pool in pools
        if pool.selector and all(labels.get(key) == value for key, value in pool.selector.items())
    ]
    return chosen[0] if len(chosen) == 1 else ""


KUEUE_QUOTA_OVER_CAPACITY: Final = StackRule(
    id="kueue-quota-over-capacity",
    description="The nominal quotas of all ClusterQueues are no more than the pools have.",
    why="Kueue then admits more than fits: priority and preemption lose their meaning, and the "
    "scheduler decides who waits.",
    mend="lower nominalQuota until the sum is there, and let queues borrow",
    severity=Severity.HIGH,
    tags=("quota", "kueue"),
    reads={
        **_READS,
        _COHORT: ("metadata", "spec"),
        _FLAVOR: ("metadata", "spec"),
        **NODE_POOL_READS,
    },
    judge=_over_capacity,
    settings={"pools": dict(POOLS)},
)
