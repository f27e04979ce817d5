"""Which controllers a sandbox runs: chosen once, and kept for every later start."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from gpu_cluster_sandbox.cluster.files import write_private
from gpu_cluster_sandbox.controllers.catalogue import CONTROLLERS, Controller


def chosen(state: Path) -> tuple[Controller, ...]:
    """The controllers that the sandbox in the folder `state` runs."""
    path = _file(state)
    names: list[str] = json.loads(path.read_text()) if path.exists() else []
    return tuple(controller for name, controller in CONTROLLERS.items() if name in names)


def choose(state: Path, names: Collection[str]) -> tuple[Controller, ...]:
    """Adds controllers to those that the sandbox runs; what was chosen before stays.

    A controller that has once written to its objects is not taken away again: what it made would
    stay, and no stage knows of it.
    """
    before = [controller.program.name for controller in chosen(state)]
    if not set(names) <= set(before):
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(_file(state), json.dumps(sorted({*before, *names})).encode())
    return chosen(state)


def _file(state: Path) -> Path:
    return state / "controllers.json"
