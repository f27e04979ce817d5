"""Set the engine up: what the machine has, what the cache has, what must be built."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Final, Literal

from gpu_cluster_sandbox.engine.build import build, cached
from gpu_cluster_sandbox.engine.cache import idle_build_space
from gpu_cluster_sandbox.engine.download import download
from gpu_cluster_sandbox.engine.errors import EngineError
from gpu_cluster_sandbox.engine.golang import find_go
from gpu_cluster_sandbox.engine.on_path import find_plugin, find_programs
from gpu_cluster_sandbox.engine.pins import (
    COMMAND_PROVIDER,
    CONTROLLERS,
    LANGUAGE_HOST,
    NAMES,
    PROGRAMS,
    PYTHON_EXEC,
    Program,
    Script,
)
from gpu_cluster_sandbox.engine.selection import Engine, gather

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

Mode = Literal["auto", "download"]

_STAND_INS: Final = {
    LANGUAGE_HOST: "runs the Python programs",
    COMMAND_PROVIDER: "for its local Command is used",
}


def ensure_engine(
    mode: Mode,
    report: Callable[[str], None],
    only: Collection[str] | None = None,
    controllers: Collection[str] = (),
) -> Engine:
    """The engine with every program in place, which takes minutes the first time.

    Args:
        mode: "auto" uses what the machine has at fitting versions and builds the rest;
            "download" takes Pulumi and its plugins from their official releases.
        report: Gets one line at a time about what is going on.
        only: Names of the programs wanted; all of them by default.
        controllers: Names of the operators' own controllers that are wanted beside them.

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
    for plugin in _STAND_INS:
        real = find_plugin(plugin) if plugin in wanted else None
        if real:
            programs.setdefault(plugin, real)

    absent = [name for name in _STAND_INS if name in wanted and name not in programs]
    for name in absent:
        report(f"no {name} on PATH: a stand-in {_STAND_INS[name]}")
    to_build = [program for program in missing if program.name not in programs]
    to_build += [program for program in CONTROLLERS if program.name in controllers]
    return _complete(programs, to_build, absent, report)


def ensure_stand_ins(report: Callable[[str], None]) -> Engine:
    """The plugins' stand-ins alone, whatever real plugins the machine has."""
    return _complete({}, [], list(_STAND_INS), report)


def _complete(
    found: Mapping[str, Path],
    to_build: Sequence[Program],
    stand_ins: Collection[str],
    report: Callable[[str], None],
) -> Engine:
    """The engine of what was found, what is built now, and the plugins' stand-ins."""
    scripts = [PYTHON_EXEC] if LANGUAGE_HOST in stand_ins else []
    # All in one go: what has been downloaded and compiled for one serves the next.
    built = _build_all([*scripts, *to_build], report)
    launchers: dict[str, Sequence[str]] = {}
    if LANGUAGE_HOST in stand_ins:
        executor = built.pop(PYTHON_EXEC.name)
        launchers[LANGUAGE_HOST] = _python("language_host", "--use-executor", str(executor))
    if COMMAND_PROVIDER in stand_ins:
        launchers[COMMAND_PROVIDER] = _python("command_provider")
    return gather({**found, **built}, launchers)


def _build_all(items: Sequence[Program | Script], report: Callable[[str], None]) -> dict[str, Path]:
    ready = {item.name: path for item in items if (path := cached(item))}
    rest = [item for item in items if item.name not in ready]
    if not rest:
        return ready
    if any(isinstance(item, Program) for item in rest):
        names = ", ".join(item.name for item in rest)
        report(f"building {names}: this happens once and takes minutes")
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
