"""Design rules of MIG layouts that a site wrote itself: each node has one, and GPUs hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pulumi_gpu_cluster.catalog.mig import MigBoard, instances_of, why_not
from pulumi_gpu_cluster.gpu_operator.mig_parted import boards_of, own_layouts
from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import is_cut, parts_of
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.mig_args import MigLayoutArgs, gpu_numbers
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed, number_of


@rule(ERROR, waivable=False)
def mig_layout_missing(case: Case) -> Iterator[Fault]:
    """Nodes have no layout, or an entry has none or two."""
    for path, pool in case.each_pool():
        if pool.mig is None:
            continue
        for index, entry in enumerate(pool.mig.layouts):
            where = f"{path}.mig.layouts[{index}]"
            if entry.layout is None and entry.devices is None:
                fix = 'add layout: all-<profile>, or devices: {"0-3": {<profile>: 2}}'
                yield Fault(where, "has neither layout nor devices", fix)
            elif entry.layout is not None and entry.devices is not None:
                yield Fault(where, "has both layout and devices", "keep one of them")
        if pool.mig.layout is None:
            left = _unnamed(pool)
            if not pool.mig.layouts:
                fix = "add layout: all-<profile>, or remove mig: pods get whole GPUs"
                yield Fault(f"{path}.mig", "has no layout", fix)
            elif left:
                fix = "add layout: all-disabled for whole GPUs, or another one"
                message = f"no entry of layouts says how these nodes are cut: {listed(left)}"
                yield Fault(f"{path}.mig.layout", message, fix)


@rule(ERROR, waivable=False)
def mig_layout_nodes(case: Case) -> Iterator[Fault]:
    """An entry of a pool's layouts names nodes that are not the pool's, or have a layout."""
    for path, pool in case.each_pool():
        entries = pool.mig.layouts if pool.mig is not None else ()
        first: dict[str, int] = {}
        for index, entry in enumerate(entries):
            where = f"{path}.mig.layouts[{index}].nodes"
            if pool.nodes is None:
                if entry.nodes is not None or entry.devices is not None or index:
                    fix = "name the nodes with nodes, or write mig: all-<profile>"
                    message = "we label no nodes that are found by a selector"
                    yield Fault(f"{path}.mig.layouts[{index}]", message, fix)
                continue
            named = pool.node_names if entry.nodes is None else expand(entry.nodes)
            strange = [name for name in named if name not in pool.node_names]
            if strange:
                message = f"names nodes that pool {pool.name} does not have: {listed(strange)}"
                yield Fault(where, message, f"name nodes of {pool.nodes}")
            twice = [name for name in named if first.setdefault(name, index) != index]
            if twice:
                message = f"names nodes that layouts[{first[twice[0]]}] names too: {listed(twice)}"
                yield Fault(where, message, "leave each node in one entry")


@rule(ERROR, waivable=False)
def mig_gpu_numbers(case: Case) -> Iterator[Fault]:
    """A layout names GPUs that a node does not have, or one of them twice."""
    for path, pool, entry in _own(case):
        if pool.gpu is None:
            continue
        count = pool.gpu.count
        first: dict[int, str] = {}
        for text in entry.devices or ():
            where = f"{path}.devices.{text}"
            beyond = [str(number) for number in gpu_numbers(text) if number >= count]
            if beyond:
                has = number_of(count, "GPU")
                message = f"a node has {has}, numbered from 0, and no {listed(beyond)}"
                yield Fault(where, message, f"use numbers up to {count - 1}")
            twice = [
                str(number)
                for number in gpu_numbers(text)
                if number in first or first.setdefault(number, text) != text
            ]
            if twice:
                yield Fault(where, f"names GPU {listed(twice)} again", "name each GPU once")


@rule(ERROR, waivable=False)
def mig_own_does_not_fit(case: Case) -> Iterator[Fault]:
    """A GPU cannot hold the instances that a site's own layout gives it."""
    for path, pool, entry in _own(case):
        model = model_of(pool.gpu) if pool.gpu is not None else None
        board = model.mig if model is not None else None
        if model is None or board is None:
            continue
        for text, instances in (entry.devices or {}).items():
            reason = why_not(board, instances)
            if reason is not None:
                message = f"does not fit {model.name}: {reason}"
                yield Fault(f"{path}.devices.{text}", message, _way_out(board, instances))


@rule(ERROR, waivable=False)
def mig_layout_ambiguous(case: Case) -> Iterator[Fault]:
    """A named layout means two things beside layouts of one's own, and nothing tells boards apart.

    With layouts of one's own MIG Manager has one configuration for all boards, in which entries
    of one name are told apart by the boards' PCI devices.
    """
    pools = case.site.node_pools
    if not own_layouts(pools):
        return
    boards = boards_of(pools)
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if model is None or model.mig is None or model.mig.pci_devices or not is_cut(pool):
            continue
        for layout in {part.cut.layout for part in parts_of(pool) if not part.cut.is_own}:
            meant = instances_of(model.mig, layout)
            others = [
                board.id
                for board in boards
                if instances_of(board, layout) not in (None, meant) and board is not model.mig
            ]
            if others:
                message = f"{layout} is something else on {listed(others)}"
                yield Fault(f"{path}.mig", message, "write what it holds, with layouts and devices")


def _own(case: Case) -> Iterator[tuple[str, NodePoolArgs, MigLayoutArgs]]:
    """Each layout that the site wrote itself, with its path."""
    for path, pool in case.each_pool():
        for index, entry in enumerate(pool.mig.layouts if pool.mig is not None else ()):
            if entry.devices is not None:
                yield f"{path}.mig.layouts[{index}]", pool, entry


def _unnamed(pool: NodePoolArgs) -> list[str]:
    """The pool's nodes that no entry of its layouts names."""
    entries = pool.mig.layouts if pool.mig is not None else ()
    if any(entry.nodes is None for entry in entries):
        return []
    named = {name for entry in entries for name in expand(entry.nodes or "")}
    return [name for name in pool.node_names if name not in named]


def _way_out(board: MigBoard, instances: Mapping[str, int]) -> str:
    unknown = next((name for name in instances if name not in board.profiles), None)
    if unknown is not None:
        return instead(unknown, list(board.profiles))
    most = (f"{one.max_instances} x {name}" for name, one in board.profiles.items())
    return f"take fewer or smaller ones; alone a GPU holds {listed(most, 'or', most=None)}"


RULES: Final[tuple[Rule, ...]] = (
    mig_layout_missing,
    mig_layout_nodes,
    mig_gpu_numbers,
    mig_own_does_not_fit,
    mig_layout_ambiguous,
)
