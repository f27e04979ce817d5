"""The site file's section on how a pool gets another driver."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BeforeValidator

from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.section import Hostlist, Section

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,4}")
_PERCENT: Final = re.compile(r"([1-9][0-9]?|100)%")


def _checked(raw: object) -> str:
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if isinstance(text, str) and (_NUMBER.fullmatch(text) or _PERCENT.fullmatch(text)):
        return text
    raise ValueError("is no size of a wave; write a number of nodes such as 4, or a part: 25%")


WaveSize = Annotated[str, BeforeValidator(_checked, json_schema_input_type=int | str)]
"""A number of nodes, or a part of a pool: 4 or 25%."""


class UpgradeArgs(Section):
    """In what order and how many at a time a pool's nodes get another driver."""

    canary: Hostlist | None = None
    """Nodes that get it first, as a hostlist; by default the pool's first node. No other node
    begins before they work with it."""

    wave: WaveSize = "25%"
    """How many nodes get it at a time after that: a number, or a part of the pool (25%). Each
    wave waits for the one before it."""

    @property
    def canaries(self) -> tuple[str, ...]:
        """Names of the nodes that go first; empty where the site names none."""
        return expand(self.canary) if self.canary is not None else ()
