"""YAML as the engine reads it, with what is wrong in it as findings.

The engine reads `no` as a text, where PyYAML's own loader makes a truth value of it, and a date
without quotes as a text too, though a longer one than was written. Keys that come twice, which YAML
forbids and every reader takes silently, are findings. An encrypted value
(`{secure: ...}`) becomes OPAQUE.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

import yaml

from pulumi_gpu_cluster.findings import Finding, error
from pulumi_gpu_cluster.reading.day import MIDNIGHT
from pulumi_gpu_cluster.secret import OPAQUE

_DEEPEST: Final = 60
_MOST_NODES: Final = 2_000_000
_TAG: Final = "tag:yaml.org,2002:"

if TYPE_CHECKING:
    from yaml import SafeLoader as _Base
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_PLAIN: Final = (
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE"), "tTfF"),
    ("null", re.compile(r"~|null|Null|NULL"), "~nN"),
    ("int", re.compile(r"[-+]?(?:[0-9][0-9_]*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)"), "-+0123456789"),
    (
        "float",
        re.compile(r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"),
        "-+.0123456789",
    ),
    ("float", re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), "-+."),
    ("timestamp", re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"), "0123456789"),
    ("merge", re.compile(r"<<"), "<"),
)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """The tags of plain words, by their first letters, as PyYAML's resolver looks them up."""
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {"": [(f"{_TAG}null", re.compile(""))]}
    for tag, pattern, letters in _PLAIN:
        whole = re.compile(rf"(?:{pattern.pattern})\Z")
        for letter in letters:
            table.setdefault(letter, []).append((f"{_TAG}{tag}", whole))
    return table


class Loader(_Base):
    """Composes nodes, with libyaml where it is there, and tags them as the engine's reader does."""

    yaml_implicit_resolvers = _resolvers()


def _date(text: str) -> str:
    """What the engine makes of a date without quotes."""
    try:
        day = dt.date(*(int(part) for part in text.split("-")))
    except ValueError:
        return text
    return f"{day}{MIDNIGHT}"


def _float(text: str) -> float:
    digits = text.replace("_", "").lower()
    return float(digits.replace(".inf", "inf").replace(".nan", "nan"))


def _whole(text: str) -> int | float:
    digits = text.replace("_", "")
    try:
        return int(digits, 0)
    except ValueError:
        pass
    try:
        # A leading zero: octal, as the engine's reader takes it, or a decimal that is none.
        return int(digits, 8)
    except ValueError:
        return float(digits)


_CONVERT: Final[Mapping[str, Callable[[str], object]]] = MappingProxyType(
    {
        "null": lambda _: None,
        "bool": lambda text: text.lower() == "true",
        "int": _whole,
        "float": _float,
        "timestamp": _date,
        "merge": str,
        "str": str,
    }
)


class TooLarge(Exception):  # noqa: N818 - a bound, not a fault of this program
    """The document is nested too deeply, or aliases make it too large."""


class Reader:
    """Turns composed nodes into plain data, and keeps the findings it meets on the way."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._nodes = 0

    def read(self, node: yaml.Node, path: str, depth: int = 0) -> object:
        """The plain data of a node.

        Raises:
            TooLarge: It is nested too deeply, or aliases make it too large.
        """
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _MOST_NODES:
            raise TooLarge
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        if isinstance(node, yaml.SequenceNode):
            self._plain_tag(node, path, "seq")
            return [
                self.read(child, f"{path}[{index}]", depth + 1)
                for index, child in enumerate(node.value)
            ]
        self._plain_tag(node, path, "map")
        return self._mapping(cast("yaml.MappingNode", node), path, depth)

    def entries(self, node: yaml.MappingNode, path: str) -> dict[str, yaml.Node]:
        """The nodes under a mapping's keys, merge keys aside; a key that comes twice is told."""
        lines: dict[str, int] = {}
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._say("yaml-key", path, key, "a key that is no plain word", "write a word")
                continue
            name: str = key.value
            if key.tag == f"{_TAG}merge":
                continue
            line = key.start_mark.line + 1
            if name in lines:
                self.findings.append(
                    error(
                        "duplicate-key",
                        f"{path}.{name}",
                        f"comes twice, on line {lines[name]} and on line {line}",
                        "keep one of them",
                    )
                )
            lines[name] = line
            found[name] = value
        return found

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> object:
        entries = self.entries(node, path)
        if set(entries) == {"secure"} and isinstance(entries["secure"], yaml.ScalarNode):
            return OPAQUE
        merged: dict[str, object] = {}
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for source in reversed(sources):
                    content = self.read(source, path, depth + 1)
                    if isinstance(content, dict):
                        merged.update(cast("dict[str, object]", content))
                    else:
                        self._say("yaml-key", path, value, "<< merges no mapping", "mend it")
        own = {
            name: self.read(child, f"{path}.{name}", depth + 1) for name, child in entries.items()
        }
        return {**merged, **own}

    def _scalar(self, node: yaml.ScalarNode, path: str) -> object:
        convert = _CONVERT.get(node.tag.removeprefix(_TAG))
        if convert is None:
            self._plain_tag(node, path, "str")
            return node.value
        try:
            return convert(node.value)
        except ValueError:
            self._say("yaml-tag", path, node, "a tag that does not fit its value", "remove it")
            return node.value

    def _plain_tag(self, node: yaml.Node, path: str, expected: str) -> None:
        if node.tag != f"{_TAG}{expected}":
            tag = node.tag.replace(_TAG, "!!")
            self._say("yaml-tag", path, node, f"the tag {tag} means nothing here", "remove it")

    def _say(self, rule: str, path: str, node: yaml.Node, message: str, fix: str) -> None:
        line = node.start_mark.line + 1
        self.findings.append(error(rule, path, f"{message} (line {line})", fix))
