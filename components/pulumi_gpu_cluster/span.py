"""Spans of time as people write them: 90s, 30m, 2h."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SPAN: Final = re.compile(r"([1-9][0-9]{0,4})([smh])")
_SECONDS: Final[Mapping[str, int]] = MappingProxyType({"s": 1, "m": 60, "h": 3600})


def seconds(text: str) -> int:
    """A span in seconds.

    Raises:
        ValueError: It is none.
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError("is no span of time; write for example 90s, 30m or 2h")
    return int(found[1]) * _SECONDS[found[2]]
