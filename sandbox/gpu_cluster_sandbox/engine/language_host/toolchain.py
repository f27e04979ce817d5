"""Which Python runs a program, as the runtime options of Pulumi.yaml settle it.

The rules are those of the real host (pulumi/sdk, python/toolchain at v3.274.1), less the
creation of environments and Poetry.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class ToolchainError(Exception):
    """The runtime options cannot be followed; the message is for the user."""


@dataclass(frozen=True)
class Python:
    """An interpreter and the environment it is started with."""

    executable: Path
    environment: Mapping[str, str]


def choose_python(
    root: Path,
    program: Path,
    options: Mapping[str, object],
    environment: Mapping[str, str],
    *,
    plugin: bool = False,
) -> Python:
    """The Python of the program in `program`, whose project file lies in `root`.

    Args:
        root: The folder of Pulumi.yaml or PulumiPolicy.yaml.
        program: The folder of the program itself.
        options: The project file's runtime options.
        environment: What the interpreter inherits.
        plugin: A plugin or policy pack never runs in an ambient Python.

    Raises:
        ToolchainError: An option is wrong, a tool is missing, or the virtual environment is.
    """
    toolchain = _text(options, "toolchain") or _detected(program)
    virtualenv = _text(options, "virtualenv")
    if toolchain == "uv":
        return _uv(root, program, virtualenv, environment)
    if toolchain != "pip":
        raise ToolchainError(
            f"the toolchain {toolchain!r} is not known to this stand-in for Pulumi's Python "
            "language host; use uv or pip, or install a Pulumi release"
        )
    if not virtualenv and plugin:
        virtualenv = "venv"
    if not virtualenv:
        return _ambient(environment)
    folder = root / virtualenv
    if not _is_virtualenv(folder):
        what = "is not a virtual environment" if folder.exists() else "does not exist"
        raise ToolchainError(
            f"the 'virtualenv' option is {virtualenv!r}, but {folder} {what}; make it with: "
            f"python3 -m venv {folder} && {folder}/bin/python -m pip install -r requirements.txt"
        )
    return _activated(folder, environment)


def _text(options: Mapping[str, object], name: str) -> str:
    value = options.get(name, "")
    if not isinstance(value, str):
        raise ToolchainError(f"the '{name}' option must be a string, not {value!r}")
    return value


def _detected(program: Path) -> str:
    if _search_up(program, "uv.lock"):
        return "uv"
    return "poetry" if _search_up(program, "poetry.lock") else "pip"


def _uv(root: Path, program: Path, virtualenv: str, environment: Mapping[str, str]) -> Python:
    if not shutil.which("uv", path=environment.get("PATH")):
        raise ToolchainError(
            "the toolchain is uv, but no `uv` is on PATH: install uv and put it on PATH"
        )
    if virtualenv:
        folder = root / virtualenv
    else:
        lock = _search_up(program, "uv.lock") or _search_up(program, "pyproject.toml")
        project = lock.parent if lock else program
        folder = project / (environment.get("UV_PROJECT_ENVIRONMENT") or ".venv")
    if not _is_virtualenv(folder):
        raise ToolchainError(f"{folder} is not a virtual environment; make it with: uv sync")
    return _activated(folder, environment)


def _ambient(environment: Mapping[str, str]) -> Python:
    named = environment.get("PULUMI_PYTHON_CMD")
    names = [named] if named else ["python3", "python"]
    for name in names:
        path = shutil.which(name, path=environment.get("PATH"))
        if path:
            return Python(Path(path), environment)
    raise ToolchainError(f"none of {', '.join(names)} is on PATH")


def _activated(folder: Path, environment: Mapping[str, str]) -> Python:
    kept = {name: value for name, value in environment.items() if name != "PYTHONHOME"}
    path = os.pathsep.join(filter(None, [str(folder / "bin"), environment.get("PATH")]))
    return Python(folder / "bin" / "python", {**kept, "PATH": path, "VIRTUAL_ENV": str(folder)})


def _is_virtualenv(folder: Path) -> bool:
    return (folder / "bin" / "python").is_file()


def _search_up(folder: Path, name: str) -> Path | None:
    return next((d / name for d in (folder, *folder.parents) if (d / name).exists()), None)
