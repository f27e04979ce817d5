"""Design rules of MIG layouts: the board has the named ones, and the strategy fits all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.catalog.gpus import GPUS, GpuModel
from pulumi_gpu_cluster.node_pools.cuts import is_cut, parts_of
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.mig_args import MigArgs
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed


@rule(ERROR, waivable=False)
def mig_not_supported(case: Case) -> Iterator[Fault]:
    """GPUs are to be cut that have no MIG."""
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if model is not None and model.mig is None and is_cut(pool):
            fix = "remove it: pods get whole GPUs"
            if pool.gpu is not None and pool.gpu.facts is not None:
                fix = "add mig to gpu.facts, or remove it: pods get whole GPUs"
            yield Fault(f"{path}.mig", f"{model.name} has no MIG", fix)


@rule(ERROR, waivable=False)
def mig_unknown_layout(case: Case) -> Iterator[Fault]:
    """A MIG layout is none that any board has."""
    for path, layout, model in _named(case):
        if model.mig is None or layout in model.mig.layouts or _owners(layout):
            continue
        fix = instead(layout, model.mig.layouts)
        yield Fault(path, f"{layout!r} is no layout that MIG Manager makes", fix)


@rule(ERROR, waivable=False)
def mig_does_not_fit(case: Case) -> Iterator[Fault]:
    """A MIG layout is that of another board."""
    for path, layout, model in _named(case):
        if model.mig is None or layout in model.mig.layouts:
            continue
        owners = _owners(layout)
        if owners:
            message = f"{layout} is made for {listed(owners)}, and not for {model.name}"
            yield Fault(path, message, f"use {listed(_like(layout, model.mig), 'or')}")


@rule(ERROR, waivable=False)
def mig_single_nonuniform(case: Case) -> Iterator[Fault]:
    """A layout of several profiles meets the single strategy, on which the device plugin stops."""
    for path, pool in case.each_pool():
        if pool.mig is None or pool.mig.strategy != "single":
            continue
        for cut in (part.cut for part in parts_of(pool)):
            kinds = dict.fromkeys(
                profile for gpu in cut.gpus for profile in (("whole GPUs",) if gpu is None else gpu)
            )
            if cut.is_cut and len(kinds) > 1:
                layout = "a layout of your own" if cut.is_own else cut.layout
                message = f"{layout} mixes {listed(kinds)}, and single takes one profile"
                fix = "write strategy: mixed, or a layout of one profile such as all-<profile>"
                yield Fault(f"{path}.mig.strategy", message, fix)


@rule(WARNING)
def mig_no_instances(case: Case) -> Iterator[Fault]:
    """MIG is switched on without instances, so that nodes have no GPUs to give."""
    for path, layout, model in _named(case):
        if model.mig is not None and layout == mig.ENABLED:
            fix = f"use {mig.DISABLED} for whole GPUs, or {mig.BALANCED} or all-<profile>"
            yield Fault(path, "leaves the pool no GPUs to give", fix)


@rule(WARNING)
def mig_names_vary(case: Case) -> Iterator[Fault]:
    """A layout names a profile that some units of the GPU print under another name."""
    for path, layout, model in _named(case):
        named = layout not in (mig.DISABLED, mig.ENABLED, mig.BALANCED)
        if model.mig is not None and model.mig.names_vary and named:
            message = f"some units and drivers of {model.name} print other names of profiles"
            fix = (
                "compare it with nvidia-smi mig -lgip on one node, then accept this, or write "
                "what it prints to gpu.facts.mig"
            )
            yield Fault(path, message, fix)


def _named(case: Case) -> Iterator[tuple[str, str, GpuModel]]:
    """Each named layout of a pool with a known GPU: its path, its name, the GPU."""
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if pool.mig is None or model is None:
            continue
        if pool.mig.layout is not None:
            yield _layout_path(path, pool.mig), pool.mig.layout, model
        for index, entry in enumerate(pool.mig.layouts):
            if entry.layout is not None:
                yield f"{path}.mig.layouts[{index}].layout", entry.layout, model


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
    mig_single_nonuniform,
    mig_no_instances,
    mig_names_vary,
)
