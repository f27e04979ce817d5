"""Programs that are on the machine already, at versions that fit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.engine.pins import KUBERNETES, Program, Version, dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_VERSION = re.compile(r"\bv?(\d+)\.(\d+)\.(\d+)")


def find_programs(programs: Sequence[Program], report: Callable[[str], None]) -> dict[str, Path]:
    """Those of `programs` that PATH or KUBEBUILDER_ASSETS has at a fitting version.

    The Kubernetes parts must be of one minor version: where the machine has only some of
    them at another minor than ours, all of them are built.
    """
    found: dict[str, Path] = {}
    minors: dict[str, Version] = {}
    for program in programs:
        path = _which(program.name)
        if not path:
            continue
        if not program.fitting:
            found[program.name] = path
            continue
        version = _version(path, program)
        if not program.fitting.accepts(version):
            report(
                f"not using {path}: its version is {dotted(version) or 'unknown'}, "
                f"wanted {program.fitting}"
            )
            continue
        found[program.name] = path
        if program.module == "kubernetes":
            minors[program.name] = version[:2]
    for name in _odd_minors(programs, minors):
        report(
            f"not using {found.pop(name)}: Kubernetes {dotted(minors[name])} beside parts of "
            "another minor version"
        )
    return found


def find_plugin(name: str) -> Path | None:
    """A Pulumi plugin on PATH or beside the machine's own `pulumi`."""
    path = _which(name)
    if path:
        return path
    pulumi = _which("pulumi")
    beside = pulumi.resolve().with_name(name) if pulumi else None
    return beside if beside and os.access(beside, os.X_OK) else None


def _odd_minors(programs: Sequence[Program], minors: dict[str, Version]) -> list[str]:
    wanted = [program.name for program in programs if program.module == "kubernetes"]
    ours = tuple(int(part) for part in KUBERNETES.split(".")[:2])
    if len(minors) == len(wanted) and len(set(minors.values())) <= 1:
        return []
    return [name for name, minor in minors.items() if minor != ours]


def _which(name: str) -> Path | None:
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    path = shutil.which(name, path=assets) if assets else None
    path = path or shutil.which(name)
    return Path(path).absolute() if path else None


def _version(path: Path, program: Program) -> Version:
    try:
        answer = subprocess.run(
            [path, *program.version_arguments],
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "1"},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = _VERSION.search(answer.stdout)
    return tuple(map(int, found.groups())) if found and not answer.returncode else ()
