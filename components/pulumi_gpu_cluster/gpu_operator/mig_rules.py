"""Design rules of MIG: layouts that the board has, and one strategy for the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.catalog.gpus import GPUS, GpuModel
from pulumi_gpu_cluster.node_pools.args import MigArgs
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed


@rule(ERROR, waivable=False)
def mig_not_supported(case: Case) -> Iterator[Fault]:
    """A MIG layout is set on GPUs that have no MIG."""
    for path, args, model in _cut(case):
        if model.mig is None and args.layout != mig.DISABLED:
            yield Fault(f"{path}.mig", f"{model.name} has no MIG", "remove it: pods get whole GPUs")


@rule(ERROR, waivable=False)
def mig_unknown_layout(case: Case) -> Iterator[Fault]:
    """A MIG layout is none that any board has."""
    for path, args, model in _cut(case):
        if model.mig is None or args.layout in model.mig.layouts or _owners(args.layout):
            continue
        fix = instead(args.layout, model.mig.layouts)
        message = f"{args.layout!r} is no layout that MIG Manager makes"
        yield Fault(_layout_path(path, args), message, fix)


@rule(ERROR, waivable=False)
def mig_does_not_fit(case: Case) -> Iterator[Fault]:
    """A MIG layout is that of another board."""
    for path, args, model in _cut(case):
        if model.mig is None or args.layout in model.mig.layouts:
            continue
        owners = _owners(args.layout)
        if owners:
            message = f"{args.layout} is made for {listed(owners)}, and not for {model.name}"
            fix = f"use {listed(_like(args.layout, model.mig), 'or')}"
            yield Fault(_layout_path(path, args), message, fix)


@rule(ERROR, waivable=False)
def mig_strategy_differs(case: Case) -> Iterator[Fault]:
    """Pools of one cluster have different MIG strategies, and the device plugin knows one."""
    first: tuple[str, str] | None = None
    for path, pool in case.each_pool():
        if pool.mig is None or pool.mig.layout == mig.DISABLED:
            continue
        if first is None:
            first = (pool.name, pool.mig.strategy)
        elif pool.mig.strategy != first[1]:
            message = f"{pool.mig.strategy}, and pool {first[0]} has {first[1]}"
            yield Fault(f"{path}.mig.strategy", message, f"use {first[1]} in all pools")


@rule(ERROR, waivable=False)
def mig_single_nonuniform(case: Case) -> Iterator[Fault]:
    """A layout of several profiles meets the single strategy, on which the device plugin stops."""
    for path, args, model in _cut(case):
        instances = mig.instances_of(model.mig, args.layout) if model.mig is not None else None
        if args.strategy == "single" and instances is not None and len(instances) > 1:
            message = f"{args.layout} mixes {listed(instances)}, and single takes one profile"
            fix = "write strategy: mixed, or a layout of one profile such as all-<profile>"
            yield Fault(f"{path}.mig.strategy", message, fix)


@rule(WARNING)
def mig_no_instances(case: Case) -> Iterator[Fault]:
    """MIG is switched on without instances, so that the pool has no GPUs to give."""
    for path, args, model in _cut(case):
        if model.mig is not None and args.layout == mig.ENABLED:
            fix = f"use {mig.DISABLED} for whole GPUs, or {mig.BALANCED} or all-<profile>"
            yield Fault(_layout_path(path, args), "leaves the pool no GPUs to give", fix)


@rule(WARNING)
def mig_names_vary(case: Case) -> Iterator[Fault]:
    """A layout names a profile that some units of the GPU print under another name."""
    for path, args, model in _cut(case):
        named = args.layout not in (mig.DISABLED, mig.ENABLED, mig.BALANCED)
        if model.mig is not None and model.mig.names_vary and named:
            message = f"some units and drivers of {model.name} print other names of profiles"
            fix = "compare it with nvidia-smi mig -lgip on one node, then accept this"
            yield Fault(_layout_path(path, args), message, fix)


def _cut(case: Case) -> Iterator[tuple[str, MigArgs, GpuModel]]:
    """Pools with a known GPU and a MIG layout."""
    for path, pool in case.each_pool():
        model = GPUS.get(pool.gpu.model) if pool.gpu is not None else None
        if pool.mig is not None and model is not None:
            yield path, pool.mig, model


def _owners(layout: str) -> list[str]:
    """The models that have the layout."""
    return [
        model.name
        for model in GPUS.values()
        if model.mig is not None and layout in model.mig.layouts
    ]


def _like(layout: str, board: mig.MigBoard) -> list[str]:
    """The board's layouts with as many compute slices as a layout of another board has."""
    own = [name for name in board.layouts if name not in (mig.DISABLED, mig.ENABLED)]
    slices = f"{layout.partition('g.')[0]}g."
    alike = [name for name in own if name.startswith(slices)]
    plain = [name for name in alike if name.endswith("gb")]
    return plain or alike or own


def _layout_path(path: str, args: MigArgs) -> str:
    """Where the layout stands: in the shorthand there is no key for it."""
    shorthand = args.model_fields_set == {"layout"}
    return f"{path}.mig" if shorthand else f"{path}.mig.layout"


RULES: Final[tuple[Rule, ...]] = (
    mig_not_supported,
    mig_unknown_layout,
    mig_does_not_fit,
    mig_strategy_differs,
    mig_single_nonuniform,
    mig_no_instances,
    mig_names_vary,
)
