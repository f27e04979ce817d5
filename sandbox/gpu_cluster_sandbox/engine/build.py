"""Build one program, or copy one script, from its pinned Go module into the cache."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.engine.cache import build_space, engine_cache, entry, locked
from gpu_cluster_sandbox.engine.errors import EngineError
from gpu_cluster_sandbox.engine.pins import MODULES, Program, Script
from gpu_cluster_sandbox.engine.progress import run_logged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_cluster_sandbox.engine.golang import Go


def cached(item: Program | Script) -> Path | None:
    """The program as an earlier run left it, or None."""
    program = entry(item) / item.name
    return program if program.exists() else None


def carried(program: Program) -> Path:
    """The root folder of a program that carries files: itself, and they at their places."""
    return entry(program) / "root"


def build(item: Program | Script, go: Go, report: Callable[[str], None]) -> Path:
    """The program from the cache, built first where it is not there.

    An interrupted build leaves its compiled packages, so that the next one goes on from
    there; the program itself appears in one step once it is whole.

    Raises:
        EngineError: With the program, the last lines of the build and where the log is.
    """
    folder = entry(item)
    with locked(
        folder.with_name(f"{folder.name}.lock"),
        lambda: report(f"waiting for another run that builds {item.name}"),
    ):
        done = cached(item)
        if done:
            return done
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(MODULES / item.module, unfinished / "source")
        with build_space() as space:
            worker = _Worker(go, space, unfinished, report)
            if isinstance(item, Script):
                worker.copy(item)
            else:
                worker.compile(item)
                worker.carry(item)
        shutil.rmtree(unfinished / "source")
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    return folder / item.name


class _Worker:
    """One build: the compiler, where its packages go, and the folder that it fills."""

    def __init__(self, go: Go, space: Path, folder: Path, report: Callable[[str], None]) -> None:
        self._go = go
        self._environment = go.environment(space)
        self._folder = folder
        self._source = folder / "source"
        self._report = report

    def compile(self, program: Program) -> None:
        if program.schema_of:
            self._write_schema(program)
        stamps = [f"-X {name}={value}" for name, value in program.variables]
        target = str(self._folder / program.name)
        run_logged(
            f"building {program.name} {program.version}",
            [
                str(self._go.program),
                "build",
                "-ldflags",
                " ".join(["-s", "-w", *stamps]),
                "-o",
                target,
                program.package,
            ],
            cwd=self._source,
            environment=self._environment,
            log=_log(program),
            report=self._report,
        )

    def carry(self, program: Program) -> None:
        if not program.carries:
            return
        module = self._module(program.carried_by, _log(program))
        root = self._folder / carried(program).name
        for source, path in program.carries:
            target = root / path.lstrip("/")
            shutil.copytree(module / source, target, dirs_exist_ok=True)
        for path in program.mounts:
            (root / path.lstrip("/")).mkdir()
        (root / program.name).hardlink_to(self._folder / program.name)

    def copy(self, script: Script) -> None:
        source = self._module(script.go_module, _log(script)) / script.path
        shutil.copyfile(source, self._folder / script.name)

    def _write_schema(self, program: Program) -> None:
        folder = self._module(program.schema_of, _log(program))
        schema = json.loads((folder / "cmd" / program.name / "schema.json").read_text())
        # The module carries a schema without a version; its release process adds one.
        schema["version"] = program.version
        (self._source / "schema.json").write_text(json.dumps(schema))

    def _module(self, go_module: str, log: Path) -> Path:
        run_logged(
            f"downloading {go_module}",
            [str(self._go.program), "mod", "download", go_module],
            cwd=self._source,
            environment=self._environment,
            log=log,
            report=self._report,
        )
        answer = subprocess.run(
            [self._go.program, "list", "-m", "-f", "{{.Dir}}", go_module],
            cwd=self._source,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        folder = answer.stdout.strip()
        if answer.returncode or not folder:
            raise EngineError(
                f"{go_module} is not in the Go module cache: {answer.stderr.strip()}",
                "run it again; if that does not help, empty the cache: go clean -modcache",
            )
        return engine_cache() / folder


def _log(item: Program | Script) -> Path:
    return engine_cache() / "logs" / f"{item.name}.log"
