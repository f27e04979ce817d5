"""Volcano's queues: amounts in order, ceilings on every GPU resource, guarantees that add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import (
    NODE_POOL_READS,
    capacity,
    is_gpu,
    known_pools,
    offered,
    unknown_pools,
)
from gpu_cluster_policies.reading import amount, fields, number, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import (
    Config,
    Fault,
    Later,
    ResourceRule,
    StackRule,
    Verdict,
    Violation,
    each,
)
from gpu_cluster_policies.settings import GPU_RESOURCES, POOLS, cannot_judge
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.quantity import text_of

QUEUE: Final = "scheduling.volcano.sh/Queue"
_READS: Final = {QUEUE: ("metadata", "spec")}
_SCHEDULERS_OWN: Final = frozenset({"root", "default"})
_STEPS: Final = (("guarantee", "resource"), ("deserved",), ("capability",))


def _amounts(queue: Resource, *path: str) -> Mapping[str, Fraction]:
    found = {key: amount(value) for key, value in fields(queue.props, "spec", *path).items()}
    return {key: value for key, value in found.items() if value is not None}


def _out_of_order(queue: Resource, config: Config) -> Iterator[Verdict]:
    del config
    known = [(path[0], _amounts(queue, *path)) for path in _STEPS]
    for index, (less, low) in enumerate(known):
        for more, high in known[index + 1 :]:
            for name in low:
                if name in high and low[name] > high[name]:
                    yield Fault(
                        queue,
                        f"{less} of {name} is {_shown(low[name])}, more than its {more} of "
                        f"{_shown(high[name])}",
                    )
    deserved = known[1][1]
    for name, value in known[0][1].items():
        if value and name not in deserved:
            yield Fault(queue, f"{name} is guaranteed and not among deserved")


QUEUE_AMOUNTS_OUT_OF_ORDER: Final = ResourceRule(
    id="queue-amounts-out-of-order",
    description="A Volcano queue's guarantee is at most its deserved, and that its capability.",
    why="Volcano's webhook refuses such a queue in the middle of the update; without the webhook "
    "the scheduler promises what the queue may not have.",
    mend="order them: guarantee <= deserved <= capability for every resource",
    severity=Severity.HIGH,
    tags=("quota", "volcano"),
    reads=_READS,
    judge=_out_of_order,
)


def _weightless(queue: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path in (("weight",), ("fairSharing", "weight")):
        weight = number(queue.props, "spec", *path)
        if weight is not None and weight <= 0:
            yield Fault(queue, f"spec.{'.'.join(path)} is {_shown(weight)}")


QUEUE_WEIGHT_ZERO: Final = ResourceRule(
    id="queue-weight-zero",
    description="A queue has a weight above zero.",
    why="A queue without weight has no share: its work waits for ever behind everybody's, and "
    "nothing says so.",
    mend="give it a weight of at least 1",
    severity=Severity.HIGH,
    tags=("quota", "volcano", "kueue"),
    reads={**_READS, "kueue.x-k8s.io/ClusterQueue": ("metadata", "spec")},
    judge=_weightless,
)


def _unlimited(stack: Stack, config: Config) -> Iterator[Verdict]:
    yield from each(stack.of(QUEUE), lambda queue: _judge_ceiling(queue, stack, config))


def _judge_ceiling(queue: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    if string(queue.props, "metadata", "name") in _SCHEDULERS_OWN:
        return
    known = offered(queue, stack, config, queued=True)
    if known is None:
        missing = "no node pool registers, and the configuration names no GPU resources"
        yield Violation(cannot_judge(queue.shown, missing, "gpuResources"), queue.urn)
        return
    if unknown_pools(queue, stack):
        yield Later(f"{queue.shown}: what the node pools offer is not known yet")
        return
    capped = {name for one in _with_ancestors(queue, stack) for name in _amounts(one, "capability")}
    uncapped = [name for name in known if name not in capped]
    if uncapped:
        yield Fault(queue, f"its capability leaves out {', '.join(uncapped)}: that is no limit")


def _with_ancestors(queue: Resource, stack: Stack) -> Iterator[Resource]:
    """A queue and those above it, whose ceilings hold for it too."""
    by_name = {string(one.props, "metadata", "name"): one for one in stack.beside(queue, QUEUE)}
    here: Resource | None = queue
    seen: set[str] = set()
    while here is not None and here.urn not in seen:
        seen.add(here.urn)
        yield here
        here = by_name.get(string(here.props, "spec", "parent"))


VOLCANO_CAPABILITY_INCOMPLETE: Final = StackRule(
    id="volcano-capability-incomplete",
    description="A Volcano queue's capability names every GPU resource of its cluster.",
    why="What capability leaves out is unlimited, so a new MIG profile is anybody's.",
    mend="name each in spec.capability (0 where the queue gets none)",
    severity=Severity.HIGH,
    tags=("quota", "volcano"),
    reads={**_READS, **NODE_POOL_READS},
    judge=_unlimited,
    settings={"gpuResources": dict(GPU_RESOURCES), "pools": dict(POOLS)},
)


def _over_capacity(stack: Stack, config: Config) -> Iterator[Verdict]:
    by_cluster: dict[frozenset[str], list[Resource]] = {}
    for queue in stack.of(QUEUE):
        by_cluster.setdefault(queue.clusters, []).append(queue)
    for queues in by_cluster.values():
        judge = partial(_judge_sum, queues=queues, stack=stack, config=config)
        yield from each(queues[:1], judge)


def _judge_sum(
    first: Resource, *, queues: list[Resource], stack: Stack, config: Config
) -> Iterator[Verdict]:
    promised: dict[str, Fraction] = {}
    for queue in queues:
        if string(queue.props, "spec", "parent") not in {"", "root"}:
            continue  # Counted with its parent.
        guarantee, deserved = _amounts(queue, "guarantee", "resource"), _amounts(queue, "deserved")
        for name in {*guarantee, *deserved}:
            if is_gpu(name):
                most = max(guarantee.get(name, Fraction(0)), deserved.get(name, Fraction(0)))
                promised[name] = promised.get(name, Fraction(0)) + most
    if not any(promised.values()):
        return
    pools = known_pools(first, stack, config)
    if not pools or any(pool.nodes is None for pool in pools):
        missing = "nothing tells how many nodes the pools have"
        yield Violation(cannot_judge("the guarantees of Volcano's queues", missing, "pools"))
        return
    there = capacity(pools)
    for name, total in sorted(promised.items()):
        most = there.get(name, Fraction(0))
        if total > most:
            yield Violation(
                f"the queues are promised {_shown(total)} {name} and the pools have "
                f"{_shown(most)}; fix: {VOLCANO_GUARANTEES_OVER_CAPACITY.mend}",
                queues[-1].urn,
            )


def _shown(value: Fraction) -> str:
    return text_of(value, binary=False) if value >= 0 else f"-{text_of(-value, binary=False)}"


VOLCANO_GUARANTEES_OVER_CAPACITY: Final = StackRule(
    id="volcano-guarantees-over-capacity",
    description="What Volcano's queues are promised is no more than the node pools have.",
    why="A promise over capacity is none: whoever comes last finds his guarantee taken.",
    mend="lower guarantee or deserved until their sum is there",
    severity=Severity.HIGH,
    tags=("quota", "volcano"),
    reads={**_READS, **NODE_POOL_READS},
    judge=_over_capacity,
    settings={"pools": dict(POOLS)},
)
