"""Hostlists: `gpu[01-12,20],login1` stands for fourteen names.

The notation is Slurm's, which the people who run such machines write anyway. Widths are
kept: `[08-10]` gives 08, 09, 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_PART = re.compile(r"(?P<prefix>[^\[\]]*)(?:\[(?P<ranges>[^\[\]]+)\](?P<rest>.*))?")
_RANGE = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?")
MAX_NAMES = 100_000
"""More names than any one list may stand for: a slip such as [1-10000000] must not hang."""

_TOO_MANY = f"stands for more than {MAX_NAMES} names; mend the range"
_BRACKETS = "the brackets do not match; write for example gpu[01-12]"


@lru_cache(maxsize=1024)
def expand(text: str) -> tuple[str, ...]:
    """The names a hostlist stands for, in order.

    Raises:
        ValueError: The brackets or ranges make no sense, a name comes twice, or there are
            more than MAX_NAMES of them.
    """
    names: list[str] = []
    for part in _split(text):
        for name in _names(part):
            names.append(name)
            if len(names) > MAX_NAMES:
                raise ValueError(_TOO_MANY)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{name} comes twice; name each node once")
        seen.add(name)
    return tuple(names)


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth not in (0, 1):
            raise ValueError(_BRACKETS)
        if character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if depth:
        raise ValueError(_BRACKETS)
    yield text[start:].strip()


def _names(part: str) -> Iterator[str]:
    match = _PART.fullmatch(part)
    if not part or match is None:
        raise ValueError(f"{part!r} is no name; write for example gpu[01-12],login1")
    if match["ranges"] is None:
        yield part
        return
    for number in _numbers(match["ranges"]):
        if match["rest"]:
            for rest in _names(match["rest"]):
                yield f"{match['prefix']}{number}{rest}"
        else:
            yield f"{match['prefix']}{number}"


def _numbers(ranges: str) -> Iterator[str]:
    for item in ranges.split(","):
        match = _RANGE.fullmatch(item.strip())
        if match is None:
            raise ValueError(f"{item!r} is no range of numbers; write for example gpu[01-12]")
        first, last = match[1], match[2] or match[1]
        if int(last) < int(first):
            raise ValueError(f"the range {item} runs backwards; write the smaller number first")
        if int(last) - int(first) > MAX_NAMES:
            raise ValueError(_TOO_MANY)
        for number in range(int(first), int(last) + 1):
            yield str(number).zfill(len(first))
