"""What is wanted of the drivers of one pool, and in which order its nodes get them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

_DIGITS: Final = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class DriverSpec:
    """What is wanted.

    Attributes:
        pool: Name of the pool, of its label's value and of its NVIDIADriver.
        version: The driver's version.
        canary: Nodes that get it first.
        wave: How many get it at a time after that: 4 or 25%.
        devices: GPU resources that a node offers once it works again.
        namespace: Namespace of the GPU Operator.
    """

    pool: str
    version: str
    canary: Sequence[str]
    wave: str
    devices: Mapping[str, int]
    namespace: str

    def text(self) -> str:
        """As the program hands it to node work."""
        return json.dumps(asdict(self), sort_keys=True)

    def next_wave(self, waiting: Collection[str], pool: int) -> list[str]:
        """The nodes that come next: canaries while one is left, then the first of the others.

        Args:
            waiting: Names of the nodes that have not begun.
            pool: Nodes of the pool, of which a wave may be a part.
        """
        first = [name for name in in_order(waiting) if name in self.canary]
        return first or in_order(waiting)[: nodes_of_wave(self.wave, pool)]

    def waves(self, waiting: Collection[str], pool: int) -> list[list[str]]:
        """All waves to come."""
        left, waves = set(waiting), list[list[str]]()
        while left:
            waves.append(self.next_wave(left, pool))
            left -= set(waves[-1])
        return waves


def read_driver_spec(text: str) -> DriverSpec:
    """Reads what `text` wrote."""
    return DriverSpec(**cast("dict[str, Any]", json.loads(text)))


def in_order(names: Collection[str]) -> list[str]:
    """Names as people count: gpu9 before gpu10."""
    return sorted(names, key=lambda name: [(one.zfill(12), one) for one in _DIGITS.split(name)])


def nodes_of_wave(wave: str, pool: int) -> int:
    """How many nodes a wave has.

    A part is rounded down, so that a pool of 4 with 25% and one of 7 go node by node.

    Args:
        wave: The size as the site says it.
        pool: Nodes of the pool.
    """
    if wave.endswith("%"):
        return max(1, pool * int(wave.removesuffix("%")) // 100)
    return int(wave)
