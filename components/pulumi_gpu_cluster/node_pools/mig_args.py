"""The site file's words on MIG: which nodes are cut how."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, PlainSerializer

from pulumi_gpu_cluster.section import FrozenMap, Hostlist, Positive, Section

_RANGE: Final = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")
_WANTED: Final = "names no GPUs; write their numbers from 0 on, such as 0-3 or 0,2"


def gpu_numbers(text: str) -> tuple[int, ...]:
    """The GPUs of a node that a text such as `0-3,6` names, in its order.

    Raises:
        ValueError: It names none, or a range runs backwards.
    """
    numbers: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        if found is None:
            raise ValueError(_WANTED)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise ValueError(f"the range {part.strip()} runs backwards; write the smaller first")
        numbers.extend(range(first, last + 1))
    return tuple(numbers)


def _numbered(text: str) -> str:
    gpu_numbers(text)
    return text


_Devices = Annotated[
    Mapping[
        Annotated[str, AfterValidator(_numbered)],
        Annotated[FrozenMap[Positive], Field(min_length=1)],
    ],
    Field(min_length=1),
    AfterValidator(lambda devices: MappingProxyType(dict(devices))),
    PlainSerializer(
        lambda devices: {gpus: dict(instances) for gpus, instances in devices.items()},
        return_type=dict[str, Any],
    ),
]


class MigLayoutArgs(Section):
    """The layout of some nodes of a pool: a named one, or one of your own."""

    nodes: Hostlist | None = None
    """The nodes, as a hostlist; by default all of the pool."""

    layout: str | None = None
    """Name of a layout that the board has, as in `mig.layout`. Excludes `devices`."""

    devices: _Devices | None = None
    """A layout of your own: for some GPUs of a node, by their numbers from 0 on, the instances of
    each of them, as `"0-3": {3g.40gb: 2}`. GPUs that stand nowhere stay whole."""


class MigArgs(Section):
    """How the GPUs of a pool are cut into MIG instances."""

    layout: str | None = None
    """Name of a layout that the board has: all-disabled, all-enabled, all-balanced or
    all-<profile>, for example all-3g.40gb. It holds for all nodes that `layouts` does not name."""

    layouts: tuple[MigLayoutArgs, ...] = ()
    """Layouts of single nodes, and layouts of your own."""

    strategy: Literal["single", "mixed"] = "mixed"
    """`mixed`: each profile is a resource of its own (nvidia.com/mig-3g.40gb). `single`: every
    instance counts as nvidia.com/gpu, and all GPUs of a node are cut alike. Pools may differ."""
