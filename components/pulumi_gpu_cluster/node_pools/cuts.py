"""How the GPUs of a pool's nodes are cut.

One place works it out. What nodes offer, what they are labelled with, what MIG Manager is
configured with and what the gate counts all follow from here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.mig_args import MigLayoutArgs, gpu_numbers
from pulumi_gpu_cluster.node_pools.props import OWN_LAYOUT

Instances = Mapping[str, int]
"""MIG instances of one GPU: their number by profile."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How each GPU of a node is cut.

    Attributes:
        layout: The layout's name, which MIG Manager is told; empty where it is told nothing.
        gpus: The instances of each GPU, or None for a whole one.
        known: Whether the model and the layout are known; nothing is cut otherwise.
    """

    layout: str
    gpus: tuple[Instances | None, ...]
    known: bool = True

    @property
    def is_cut(self) -> bool:
        """Whether any of the GPUs is cut, so that DCGM does not diagnose them."""
        return not self.known or any(one is not None for one in self.gpus)

    @property
    def is_own(self) -> bool:
        """Whether the site wrote the layout, so that MIG Manager does not know it by itself."""
        return self.layout.startswith(OWN_LAYOUT)

    def parted(self) -> list[dict[str, Any]]:
        """The layout as MIG Manager's configuration has it: GPUs that are cut alike together."""
        return parted(self.gpus)


@dataclass(frozen=True, slots=True)
class Part:
    """Nodes of a pool that are cut alike.

    Attributes:
        cut: How.
        nodes: Their names; none where the pool is found by a selector.
        count: How many there are, or may be counted on.
    """

    cut: Cut
    nodes: tuple[str, ...]
    count: int


def parts_of(pool: NodePoolArgs) -> tuple[Part, ...]:
    """The pool's nodes by how they are cut, in the file's order. None without GPUs.

    A node that several entries name goes with the first, and one that none names is whole; a
    rule reports both.
    """
    if pool.gpu is None:
        return ()
    if pool.mig is None or not pool.mig.layouts:
        cut = _cut(pool, pool.mig.layout if pool.mig is not None else None)
        return (Part(cut, pool.node_names, pool.size),)
    parts: list[Part] = []
    left = dict.fromkeys(pool.node_names)
    for entry in pool.mig.layouts:
        named = left if entry.nodes is None else expand(entry.nodes)
        nodes = tuple(node for node in named if node in left)
        for node in nodes:
            del left[node]
        count = pool.size if pool.nodes is None else len(nodes)
        parts.append(Part(_cut_by(pool, entry), nodes, count))
    if left:
        rest = _cut(pool, pool.mig.layout or mig.DISABLED)
        parts.append(Part(rest, tuple(left), len(left)))
    return tuple(parts)


def cut_by_node(pool: NodePoolArgs) -> Mapping[str, Cut]:
    """How each node is cut, by its name; empty for a pool that is found by a selector."""
    return {node: part.cut for part in parts_of(pool) for node in part.nodes}


def is_cut(pool: NodePoolArgs) -> bool:
    """Whether any GPU of the pool is cut into MIG instances."""
    return any(part.cut.is_cut for part in parts_of(pool))


def parted(gpus: Iterable[Instances | None]) -> list[dict[str, Any]]:
    """The GPUs of a node as mig-parted's `v1` format has them.

    source: NVIDIA/mig-parted v0.15.0 api/spec/v1/spec.go
    """
    alike: dict[tuple[tuple[str, int], ...] | None, list[int]] = {}
    for number, instances in enumerate(gpus):
        key = None if instances is None else tuple(sorted(instances.items()))
        alike.setdefault(key, []).append(number)
    return [
        {
            "devices": numbers,
            "mig-enabled": key is not None,
            "mig-devices": dict(key or ()),
        }
        for key, numbers in alike.items()
    ]


def _cut_by(pool: NodePoolArgs, entry: MigLayoutArgs) -> Cut:
    if entry.devices is None or pool.gpu is None:
        return _cut(pool, entry.layout or mig.DISABLED)
    gpus = _own(entry.devices, pool.gpu.count)
    return Cut(_name(gpus), gpus)


def _cut(pool: NodePoolArgs, layout: str | None) -> Cut:
    """The cut of a named layout; None where MIG Manager is told none."""
    count = pool.gpu.count if pool.gpu is not None else 0
    if layout is None or layout == mig.DISABLED:
        return Cut(layout or "", (None,) * count)
    model = model_of(pool.gpu) if pool.gpu is not None else None
    board = model.mig if model is not None else None
    instances = mig.instances_of(board, layout) if board is not None else None
    if instances is None:
        return Cut(layout, (), known=False)
    return Cut(layout, (instances,) * count)


def _own(devices: Mapping[str, Instances], count: int) -> tuple[Instances | None, ...]:
    gpus: list[Instances | None] = [None] * count
    for text, instances in devices.items():
        for number in gpu_numbers(text):
            if number < count:
                gpus[number] = instances
    return tuple(gpus)


def _name(gpus: tuple[Instances | None, ...]) -> str:
    """A name that changes with the layout.

    MIG Manager acts when the name on a node changes, and only then.
    """
    text = json.dumps(parted(gpus), sort_keys=True)
    return f"{OWN_LAYOUT}{hashlib.sha256(text.encode()).hexdigest()[:8]}"
