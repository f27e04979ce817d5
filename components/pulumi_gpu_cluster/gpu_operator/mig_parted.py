"""MIG Manager's configuration, where a site wrote layouts itself.

Without one, MIG Manager makes named layouts out of what each node's GPUs can do. A configuration of
ours replaces those on every node of the cluster, so it carries them too: all that the boards of the
site have, and not only those in use, because a node keeps its layout until it is free.
source: NVIDIA/mig-parted v0.15.0 pkg/mig/builder/builder.go, api/spec/v1/spec.go
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.node_pools.gpu_model import model_of

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, migManager.config
MIG_PARTED_KEY: Final = "config.yaml"
"""The one key that MIG Manager looks for in its ConfigMap."""

_Entries = list[dict[str, Any]]


def own_layouts(pools: Iterable[NodePoolArgs]) -> Mapping[str, _Entries]:
    """The layouts that the site wrote itself, by their names."""
    return {
        part.cut.layout: part.cut.parted()
        for pool in pools
        for part in parts_of(pool)
        if part.cut.is_own
    }


def named_layouts(pools: Iterable[NodePoolArgs]) -> Mapping[str, _Entries]:
    """The layouts that MIG Manager would make for the site's boards by itself.

    One name may mean different instances on different boards; then each has an entry, filtered by
    the board's devices. A board whose devices no source tells cannot be told apart: what it would
    have under such a name is left out, and a rule refuses a pool that wants it.
    """
    boards = boards_of(pools)
    layouts: dict[str, _Entries] = {
        mig.DISABLED: [{"devices": "all", "mig-enabled": False, "mig-devices": {}}]
    }
    for name in dict.fromkeys(name for board in boards for name in board.layouts):
        if name != mig.DISABLED:
            layouts[name] = _entries(name, boards)
    return {name: entries for name, entries in layouts.items() if entries}


def boards_of(pools: Iterable[NodePoolArgs]) -> tuple[mig.MigBoard, ...]:
    """The boards with MIG of the site's pools, each once."""
    models = [model_of(pool.gpu) for pool in pools if pool.gpu is not None]
    boards = {one.mig.id: one.mig for one in models if one is not None and one.mig is not None}
    return tuple(boards.values())


def mig_parted_config(pools: Sequence[NodePoolArgs]) -> str | None:
    """The configuration; None where MIG Manager's own is enough."""
    own = own_layouts(pools)
    if not own:
        return None
    # JSON is YAML too, and one text stands for one configuration.
    layouts = {**named_layouts(pools), **own}
    return json.dumps({"version": "v1", "mig-configs": layouts}, indent=1, sort_keys=True)


def mig_parted_name(config: str) -> str:
    """Name of the ConfigMap. It changes with its content.

    MIG Manager reads a mounted file, which a kubelet renews a minute or more after the object:
    a node that is told a layout meanwhile would fail for good. A new name brings a new pod, and
    that applies what its node is told to be.
    """
    return f"mig-layouts-{hashlib.sha256(config.encode()).hexdigest()[:8]}"


def _entries(layout: str, boards: Sequence[mig.MigBoard]) -> _Entries:
    kinds: dict[tuple[tuple[str, int], ...], list[mig.MigBoard]] = {}
    for board in boards:
        instances = mig.instances_of(board, layout)
        if instances is not None:
            kinds.setdefault(tuple(sorted(instances.items())), []).append(board)
    entries: _Entries = []
    for held, alike in kinds.items():
        entry: dict[str, Any] = {
            "devices": "all",
            "mig-enabled": True,
            "mig-devices": dict(held),
        }
        if len(kinds) > 1:
            devices = [device for board in alike for device in board.pci_devices]
            if not devices:
                continue
            entry["device-filter"] = sorted(devices)
        entries.append(entry)
    return entries
