"""Which nodes an NVIDIADriver is for: some, and no other's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.drivers.specs import DRIVER, OPERATOR_CHART
from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.pools import NODE_POOL_READS, known_pools
from gpu_cluster_policies.reading import at, fields, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, StackRule, Verdict, each
from gpu_cluster_policies.settings import POOLS
from gpu_cluster_policies.stack import Stack

_FALLBACK_SINCE: Final = (26, 7)
"""Since then a default object yields to the others."""


def _unselective(driver: Resource, config: Config) -> Iterator[Verdict]:
    del config
    selector = fields(driver.props, "spec", "nodeSelector")
    if at(driver.props, "spec", "default") is True:
        if selector:
            yield Fault(driver, "is the default and has a nodeSelector, which stops all drivers")
    elif not selector:
        yield Fault(driver, "has no nodeSelector, so it is for every GPU node")


DRIVER_WITHOUT_SELECTOR: Final = ResourceRule(
    id="driver-without-selector",
    description="An NVIDIADriver says by labels which nodes it is for.",
    why="Without a selector it is for all GPU nodes, and the next pool's driver conflicts with it: "
    "the operator then leaves every driver alone.",
    mend="set spec.nodeSelector to a label of the pool; only a default has none",
    severity=Severity.HIGH,
    tags=("drivers",),
    reads={DRIVER: ("metadata", "spec")},
    judge=_unselective,
)


def _overlapping(stack: Stack, config: Config) -> Iterator[Verdict]:
    drivers = stack.of(DRIVER)
    for index, driver in enumerate(drivers):
        before = [one for one in drivers[:index] if one.beside(driver)]
        # Pools hold each node once, so what selects two whole pools meets nowhere.
        pools = [pool.selector for pool in known_pools(driver, stack, config) if pool.selector]
        yield from each((driver,), partial(_judge_pair, others=before, pools=pools))
    for release in stack.of(*VALUES):
        if stack.beside(release, DRIVER):
            yield from each((release,), _judge_chart)


def _judge_pair(
    driver: Resource, others: list[Resource], pools: list[Mapping[str, str]]
) -> Iterator[Verdict]:
    for other in others:
        both_default = all(at(one.props, "spec", "default") is True for one in (driver, other))
        if both_default:
            yield Fault(driver, f"is a default beside {other.shown}: only one may be")
        elif _may_meet(driver, other, pools):
            yield Fault(driver, f"its nodeSelector may match a node of {other.shown}")


def _may_meet(one: Resource, other: Resource, pools: list[Mapping[str, str]]) -> bool:
    first, second = (fields(driver.props, "spec", "nodeSelector") for driver in (one, other))
    if not first or not second:
        return False  # Told of each by itself.
    if first != second and first in pools and second in pools:
        return False
    return all(first[key] == second[key] for key in first if key in second)


def _judge_chart(release: Resource) -> Iterator[Verdict]:
    if not is_chart(release, OPERATOR_CHART):
        return
    own = fields(values_of(release), "driver", "nvidiaDriverCRD")
    makes_one = at(own, "enabled") is True and at(own, "deployDefaultCR") is not False
    if makes_one and not _yields(string(release.props, "version")):
        yield Fault(release, "makes a default NVIDIADriver that matches the nodes of all others")


def _yields(version: str) -> bool:
    numbers = [part for part in version.removeprefix("v").split(".")[:2] if part.isdigit()]
    return tuple(int(part) for part in numbers) >= _FALLBACK_SINCE


DRIVER_SELECTORS_OVERLAP: Final = StackRule(
    id="driver-selectors-overlap",
    description="No node is matched by two NVIDIADrivers.",
    why="One conflict marks every NVIDIADriver of the cluster as not ready, and no driver is "
    "installed or upgraded any more.",
    mend="let them select different values of one label, and set deployDefaultCR: false in the "
    "chart",
    severity=Severity.HIGH,
    tags=("drivers",),
    reads={DRIVER: ("metadata", "spec"), **VALUES, **NODE_POOL_READS},
    judge=_overlapping,
    settings={"pools": dict(POOLS)},
)
