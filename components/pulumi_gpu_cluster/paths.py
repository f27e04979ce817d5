"""Paths of the site file, as the program sees them."""

from __future__ import annotations

import os
from pathlib import Path

import pulumi


def from_project(path: str) -> str:
    """A path that was written as seen from the folder of Pulumi.yaml.

    People stand there when they write it, but the engine runs the program and its plugins in
    the folder that `main:` names. The result stays relative: an absolute one would differ from
    machine to machine and show up as a change. A leading `~/` is the home of whoever runs it.
    """
    if path.startswith("~/"):
        return str(Path(path).expanduser())
    if Path(path).is_absolute():
        return path
    root = pulumi.runtime.get_root_directory() or Path.cwd()
    return os.path.relpath(Path(root) / path)
