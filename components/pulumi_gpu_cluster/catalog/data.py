"""The catalogue's data files: JSON made of facts with the places they were read in.

They are data, not code, so that a release of NVIDIA's is one reviewed line. They are read when
they are first asked for: the command line must answer `--help` without them.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, cast


def load(name: str) -> dict[str, Any]:
    """One data file, with the keys of its sources replaced by the sources themselves.

    Args:
        name: The file's name without its ending: `mig`.
    """
    text = (
        resources.files("pulumi_gpu_cluster.catalog")
        .joinpath("data", f"{name}.json")
        .read_text("utf-8")
    )
    content: dict[str, Any] = json.loads(text)
    sources: dict[str, str] = content.pop("sources")
    for entry in _entries(content):
        if "sources" in entry:
            entry["sources"] = tuple(sources[key] for key in entry["sources"])
    return content


def _entries(content: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for value in content.values():
        if isinstance(value, list):
            entries.extend(cast("list[dict[str, Any]]", value))
        else:
            entries.append(value)
    return entries
