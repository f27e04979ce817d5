"""Where in a stack file a finding's path stands, for tools that mark lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import yaml

_PART: Final = re.compile(r"[^.\[\]]+")
_SITE_KEY: Final = "gpu-cluster:site"


def line_of(file: Path, path: str) -> int:
    """The line of a path such as site.tenants[2].quota, or of the nearest part above it.

    Args:
        file: The stack file.
        path: The finding's path; what it names may be missing from the file.

    Returns:
        The line, counted from 1; 1 where nothing of it is found.
    """
    try:
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return 1
    parts = _PART.findall(path)
    if parts and parts[0] == "site":
        parts = ["config", _SITE_KEY, *parts[1:]]
    line = 1
    for part in parts:
        below = _below(node, part)
        if below is None:
            break
        line, node = below
    return line


def _below(node: yaml.Node | None, part: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
        entry: yaml.Node = node.value[int(part)]
        return entry.start_mark.line + 1, entry
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key.start_mark.line + 1, value
    return None
