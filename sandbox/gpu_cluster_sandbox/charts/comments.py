"""Keys that a values.yaml shows only in a comment, such as `# version: ""`.

Charts document optional values by commenting them out. Such a key is known where three things
hold: it stands where a key of an open mapping would stand, it reads as a key and not as prose,
and what follows it reads as one YAML value. Keys deeper inside a commented-out mapping need no
name of their own: that mapping as a whole is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

_LINE: Final = re.compile(
    r"^(?P<indent> *)#(?P<space> *)(?P<key>[a-z][A-Za-z0-9_-]*):(?: +(?P<value>\S.*))?$"
)
_VALUE: Final = re.compile(
    r"""^(?:"[^"]*"|'[^']*'|\[.*\]|\{.*\}|[|>][-+]?|[^\s"'\[{]\S*)\s*(?:\#.*)?$""", re.VERBOSE
)
# Words that end in a colon in running text.
_PROSE: Final = frozenset(
    {"default", "defaults", "eg", "example", "examples", "for", "following", "in", "info", "link"}
    | {"more", "note", "notes", "or", "ref", "reference", "see", "to", "todo", "warning", "with"}
)

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Key:
    line: int
    column: int
    path: Path


def commented_keys(text: str) -> Iterator[Path]:
    """Paths of the keys that the text of a values.yaml shows only as comments."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    keys = sorted(_keys(node, ()), key=lambda key: key.line)
    known = {key.path for key in keys}
    texts = set(_text_lines(node))
    inside: int | None = None  # column of the commented-out mapping we are in
    in_schema = False  # between two `# @schema` lines stands a schema, not a value
    for number, line in enumerate(text.splitlines()):
        if number in texts or not line.lstrip().startswith("#"):
            inside, in_schema = None, False
            continue
        if line.strip() == "# @schema":
            in_schema = not in_schema
        if in_schema:
            continue
        column = _column(line)
        if inside is not None and column > inside:
            continue
        inside = None
        match = _LINE.match(line)
        if match is None or match["key"] in _PROSE or not _reads_as_value(match["value"]):
            continue
        parent = _parent_at(keys, number, column)
        if parent is None:
            continue
        inside = column
        path = (*parent, match["key"])
        if path not in known:
            known.add(path)
            yield path


def _column(line: str) -> int:
    """Where the text of a comment would stand if its `# ` were taken away."""
    hash_at = line.index("#")
    rest = line[hash_at + 1 :]
    return hash_at + max(0, len(rest) - len(rest.lstrip(" ")) - 1)


def _reads_as_value(value: str | None) -> bool:
    return value is None or ("://" not in value and _VALUE.match(value) is not None)


def _parent_at(keys: list[_Key], number: int, column: int) -> Path | None:
    """The mapping that a key at this line and column would belong to."""
    following = next((key for key in keys if key.line > number), None)
    if following is not None and following.column == column:
        return following.path[:-1]
    if following is not None and following.column > column:
        return None  # in the middle of a deeper mapping: an example, indented as it pleased
    for key in reversed([key for key in keys if key.line < number]):
        if key.column <= column:
            return key.path[:-1] if key.column == column else None
    return None


def _keys(node: Any, path: Path) -> Iterator[_Key]:
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return
    for key, value in node.value:
        below = (*path, str(key.value))
        yield _Key(key.start_mark.line, key.start_mark.column, below)
        yield from _keys(value, below)


def _text_lines(node: Any) -> Iterator[int]:
    """Lines of block texts, where a leading # is content."""
    if isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _text_lines(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _text_lines(value)
    elif node is not None and node.style in ("|", ">"):
        yield from range(node.start_mark.line + 1, node.end_mark.line)
