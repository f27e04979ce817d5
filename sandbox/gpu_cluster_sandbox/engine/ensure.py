"""Set the engine up: what the machine has, what the cache has, what must be built."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Literal

from gpu_cluster_sandbox.engine.build import build, cached
from gpu_cluster_sandbox.engine.cache import idle_build_space
from gpu_cluster_sandbox.engine.download import download
from gpu_cluster_sandbox.engine.errors import EngineError
from gpu_cluster_sandbox.engine.golang import find_go
from gpu_cluster_sandbox.engine.on_path import find_plugin, find_programs
from gpu_cluster_sandbox.engine.pins import (
    COMMAND_PROVIDER,
    LANGUAGE_HOST,
    NAMES,
    PROGRAMS,
    PYTHON_EXEC,
    Program,
    Script,
)
from gpu_cluster_sandbox.engine.selection import Engine, gather

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

Mode = Literal["auto", "download"]


def ensure_engine(
    mode: Mode, report: Callable[[str], None], only: Collection[str] | None = None
) -> Engine:
    """The engine with every program in place, which takes minutes the first time.

    Args:
        mode: "auto" uses what the machine has at fitting versions and builds the rest;
            "download" takes Pulumi and its plugins from their official releases.
        report: Gets one line at a time about what is going on.
        only: Names of the programs wanted; all of them by default.

    Raises:
        EngineError: Naming the program, the reason, and the log or the way out.
    """
    wanted = set(NAMES if only is None else only)
    if unknown := wanted - set(NAMES):
        raise EngineError(
            f"the engine has no {', '.join(sorted(unknown))}", f"choose from {', '.join(NAMES)}"
        )
    programs = download(report) if mode == "download" else {}
    programs = {name: path for name, path in programs.items() if name in wanted}
    missing = [p for p in PROGRAMS if p.name in wanted and p.name not in programs]
    programs |= find_programs(missing, report)
    for plugin in (LANGUAGE_HOST, COMMAND_PROVIDER):
        real = find_plugin(plugin) if plugin in wanted else None
        if real:
            programs.setdefault(plugin, real)

    to_build: list[Program | Script] = [p for p in missing if p.name not in programs]
    stand_in_host = LANGUAGE_HOST in wanted - set(programs)
    if stand_in_host:
        to_build.append(PYTHON_EXEC)
    built = _build_all(to_build, report)

    launchers: dict[str, Sequence[str]] = {}
    if stand_in_host:
        executor = built.pop(PYTHON_EXEC.name)
        launchers[LANGUAGE_HOST] = _python("language_host", "--use-executor", str(executor))
        report(f"no {LANGUAGE_HOST} on PATH: a stand-in runs the Python programs")
    if COMMAND_PROVIDER in wanted - set(programs):
        launchers[COMMAND_PROVIDER] = _python("command_provider")
        report(f"no {COMMAND_PROVIDER} on PATH: a stand-in for its local Command is used")
    return gather(programs | built, launchers)


def _build_all(items: Sequence[Program | Script], report: Callable[[str], None]) -> dict[str, Path]:
    ready = {item.name: path for item in items if (path := cached(item))}
    rest = [item for item in items if item.name not in ready]
    if not rest:
        return ready
    report(f"building {', '.join(item.name for item in rest)}; this is done once and takes minutes")
    go = find_go({item.module for item in rest}, report)
    for item in rest:
        ready[item.name] = build(item, go, report)
    with idle_build_space() as space:
        if space and space.exists():
            shutil.rmtree(space)
    return ready


def _python(module: str, *arguments: str) -> list[str]:
    # -P: the engine starts plugins in the program's folder, whose files must not be imported.
    return [sys.executable, "-P", "-m", f"gpu_cluster_sandbox.engine.{module}", *arguments]
