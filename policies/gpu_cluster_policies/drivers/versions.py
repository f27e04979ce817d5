"""Which driver version runs: a known one, alive, new enough for the board."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.drivers.specs import DRIVER, DRIVER_READS, driver_specs, is_installed
from gpu_cluster_policies.pools import NODE_POOL_READS, known_pools
from gpu_cluster_policies.reading import Fields, fields, string
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
from gpu_cluster_policies.settings import AS_OF, BOARDS, POOLS, cannot_judge
from gpu_cluster_policies.sharing.layouts import model_of_product
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.catalog.drivers import branch_of, branches, is_older
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.node_pools.props import PoolProps

_VERSION: Final = re.compile(r"\d{3}(\.\d+){0,2}")
_PRODUCT: Final = "nvidia.com/gpu.product"


def _pins(resource: Resource) -> Iterator[tuple[str, str, Fields]]:
    for path, spec in driver_specs(resource):
        version = string(spec, "version")
        if version and is_installed(resource, spec):
            yield f"{path}.version", version, spec


def _unknown(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, version, _ in _pins(resource):
        if not _VERSION.fullmatch(version):
            yield Fault(resource, f"{path} is {version}, which is no version of a driver")
            continue
        branch = branches().get(branch_of(version))
        if branch is None:
            known = ", ".join(str(number) for number in sorted(branches()))
            yield Fault(resource, f"{path} is {version}, of no known branch ({known})")
        elif branch.newest is not None and is_older(branch.newest, version):
            yield Fault(
                resource, f"{path} is {version}, and the newest known of its branch {branch.newest}"
            )


DRIVER_NOT_IN_CATALOGUE: Final = ResourceRule(
    id="driver-not-in-catalogue",
    description="A driver's version is one that exists, as far as the catalogue knows.",
    why="The image is not there: pods of the driver wait for ever, and so do the node's GPUs.",
    mend="use a version that `gpu-cluster versions` and NVIDIA's release notes know",
    severity=Severity.MEDIUM,
    tags=("drivers",),
    reads=DRIVER_READS,
    judge=_unknown,
)


def _day(text: str) -> dt.date | None:
    """A day; None where the calendar has none, such as 2026-02-30, which a pattern cannot tell."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def _over(resource: Resource, config: Config) -> Iterator[Verdict]:
    day = _day(config["asOf"])
    for path, version, _ in _pins(resource):
        if day is None:
            missing = f"{config['asOf']} is no day of the calendar"
            yield Fault(resource, cannot_judge(path, missing, "asOf", "2027-01-31"))
            continue
        branch = branches().get(branch_of(version)) if _VERSION.fullmatch(version) else None
        if branch is not None and branch.is_over(day):
            end = branch.end_of_life
            until = f" since {end.isoformat()}" if end is not None else ""
            yield Fault(resource, f"{path} is {version}, of a branch without fixes{until}")


DRIVER_PAST_END: Final = ResourceRule(
    id="driver-past-end",
    description="A driver's branch still gets fixes.",
    why="A branch past its end gets no security fixes, and the next operator drops it.",
    mend="move to a branch that is alive, by waves",
    severity=Severity.MEDIUM,
    tags=("drivers",),
    reads=DRIVER_READS,
    judge=_over,
    settings={"asOf": dict(AS_OF)},
)


def _too_old(stack: Stack, config: Config) -> Iterator[Verdict]:
    resources = stack.of(*DRIVER_READS)
    yield from each(resources, lambda one: _judge_board(one, stack, config))


def _judge_board(resource: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    for path, version, spec in _pins(resource):
        if not _VERSION.fullmatch(version):
            continue
        boards = _boards(resource, spec, known_pools(resource, stack, config), config)
        if not boards:
            missing = "nothing tells which GPUs its nodes have"
            name = string(resource.props, "metadata", "name") or resource.name
            what = f"{path} {version} of {resource.shown}"
            yield Violation(cannot_judge(what, missing, f"boards.{name}"), resource.urn)
        for model, with_mig in sorted(boards.items()):
            gpu = GPUS.get(model)
            oldest = None if gpu is None else gpu.oldest_driver
            if gpu is not None and with_mig:
                oldest = gpu.oldest_mig_driver or oldest
            if oldest is not None and is_older(version, oldest):
                mode = " with MIG" if with_mig else ""
                yield Fault(resource, f"{path} is {version}, and {model}{mode} needs {oldest}")


def _boards(
    resource: Resource, spec: Fields, pools: tuple[PoolProps, ...], config: Config
) -> Mapping[str, bool]:
    """The models a driver is for, and whether some of them are cut into instances."""
    name = string(resource.props, "metadata", "name") or resource.name
    told: str | None = config.get("boards", {}).get(name)
    if told:
        return {told: False}
    selector = fields(spec, "nodeSelector") if resource.sort == DRIVER else fields({})
    product = model_of_product(string(selector, _PRODUCT))
    if product:
        return {product: False}
    found: dict[str, bool] = {}
    for pool in pools:
        meets = all(pool.selector.get(key) == value for key, value in selector.items())
        if pool.gpu_model and meets:
            found[pool.gpu_model] = found.get(pool.gpu_model, False) or bool(pool.mig_layout)
    return found


DRIVER_BELOW_BOARD_MINIMUM: Final = StackRule(
    id="driver-below-board-minimum",
    description="A driver is new enough for the GPUs of the nodes it is for.",
    why="An older driver does not see the board, or knows no MIG on it.",
    mend="pin a newer version, or select other nodes",
    severity=Severity.HIGH,
    tags=("drivers",),
    reads={**DRIVER_READS, **NODE_POOL_READS},
    judge=_too_old,
    settings={"boards": dict(BOARDS), "pools": dict(POOLS)},
)
