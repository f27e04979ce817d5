"""Where in a stack file a finding's path stands, for tools that mark lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from pulumi_gpu_cluster.reading.yaml_text import Loader

_PART: Final = re.compile(r"[^.\[\]]+")
_SITE_KEY: Final = "gpu-cluster:site"
# A fault of the YAML itself has the file, line and column as its path.
_MARK: Final = re.compile(r":([0-9]+):[0-9]+")


class Places:
    """The lines of one stack file, by findings' paths.

    Args:
        file: The stack file; one that cannot be read has its first line.
    """

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        try:
            text = file.read_text(encoding="utf-8-sig")
            self._top: yaml.Node | None = yaml.compose(text, Loader=Loader)
        except (OSError, ValueError, RecursionError, yaml.YAMLError):
            self._top = None

    def line_of(self, path: str) -> int:
        """The line of a path such as site.tenants[2].quota, or of the nearest part above it.

        Args:
            path: The finding's path; what it names may be missing from the file.

        Returns:
            The line, counted from 1; 1 where nothing of it is found.
        """
        mark = _MARK.fullmatch(path.removeprefix(self._file))
        if mark is not None:
            return int(mark[1])
        parts: Sequence[str] = _PART.findall(path)
        if parts and parts[0] == "site":
            parts = ["config", _SITE_KEY, *parts[1:]]
        line, node = 1, self._top
        while parts:
            below = _below(node, parts)
            if below is None:
                break
            line, node, parts = below
        return line


def _below(
    node: yaml.Node | None, parts: Sequence[str]
) -> tuple[int, yaml.Node, Sequence[str]] | None:
    """The line and node that the first parts lead to, and the parts left."""
    first = parts[0]
    if isinstance(node, yaml.SequenceNode) and first.isdecimal() and int(first) < len(node.value):
        entry: yaml.Node = node.value[int(first)]
        return entry.start_mark.line + 1, entry, parts[1:]
    if not isinstance(node, yaml.MappingNode):
        return None
    found: list[tuple[int, yaml.Node, Sequence[str]]] = []
    for key, value in node.value:
        # A key may hold dots itself, as gpu.shared does; the longest one goes before gpu.
        own = _PART.findall(key.value) if isinstance(key.value, str) else []
        if own and own == list(parts[: len(own)]):
            found.append((key.start_mark.line + 1, value, parts[len(own) :]))
    return min(found, key=lambda one: len(one[2]), default=None)
