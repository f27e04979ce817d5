"""The programs that were chosen, brought together in one folder for PATH."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.engine.cache import engine_cache
from gpu_cluster_sandbox.engine.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Engine:
    """Every program the sandbox runs, each at a version that fits.

    Attributes:
        bin_dir: A folder with one entry per program and plugin, and nothing else.
    """

    bin_dir: Path

    def program(self, name: str) -> Path:
        """The path of a program.

        Raises:
            EngineError: It was not asked for when the engine was set up.
        """
        path = self.bin_dir / name
        if not path.exists():
            raise EngineError(
                f"{name} is not part of the engine in {self.bin_dir}",
                f"ask for it when the engine is set up; it has {', '.join(self.names())}",
            )
        return path

    def names(self) -> list[str]:
        """The programs it has, in alphabetical order."""
        return sorted(path.name for path in self.bin_dir.iterdir())

    def environment(self) -> dict[str, str]:
        """PATH for a process that runs Pulumi: to be laid over the current environment.

        The engine's own folder comes first: what stands in it for a missing plugin is there
        only where the machine has no real one. The Python environment's programs follow,
        `gpu-cluster` and `uv` among them.
        """
        ours = [str(self.bin_dir), str(Path(sys.executable).parent)]
        rest = os.environ.get("PATH", os.defpath).split(os.pathsep)
        return {"PATH": os.pathsep.join([*ours, *(part for part in rest if part not in ours)])}


def gather(programs: Mapping[str, Path], launchers: Mapping[str, Sequence[str]]) -> Engine:
    """Bring `programs` together; `launchers` are shell scripts that become the given command.

    The folder is named after its content, so that runs with other choices, or from other
    Python environments, never change one another's.
    """
    scripts = {name: _script(command) for name, command in launchers.items()}
    content = sorted([*((n, str(p)) for n, p in programs.items()), *scripts.items()])
    key = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
    folder = engine_cache() / f"bin-{key}"
    if folder.exists():
        return Engine(folder)
    engine_cache().mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"bin-{key}.", dir=engine_cache()))
    for name, path in programs.items():
        _place(path, unfinished / name)
    for name, text in scripts.items():
        (unfinished / name).write_text(text)
        (unfinished / name).chmod(0o755)
    unfinished.chmod(0o755)
    try:
        unfinished.rename(folder)
    except OSError:
        # Another run was first with the same content.
        shutil.rmtree(unfinished)
    return Engine(folder)


def _place(program: Path, target: Path) -> None:
    """A built program as a second name of the same file, any other as a link.

    Pulumi takes a language host from the folder its own file lies in without remark and
    warns about one that lies elsewhere; a link would count as elsewhere.
    """
    if program.is_relative_to(engine_cache()):
        try:
            target.hardlink_to(program)
        except OSError:
            target.symlink_to(program)
    else:
        target.symlink_to(program)


def _script(command: Sequence[str]) -> str:
    return f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
