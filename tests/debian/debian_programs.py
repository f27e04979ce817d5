"""Programs that only tests need, out of Debian packages, without root and without a change here.

A check by the real program (promtool on alert rules, slurmctld on a slurm.conf) is worth more than
one by a copy of its grammar. Where the machine has no such program, its package is downloaded by
`apt-get download`, which needs no rights, and unpacked into the engine's cache, one folder for
each set of packages at their versions. Where that cannot be, the test is skipped and says why.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from gpu_cluster_sandbox.engine.cache import engine_cache, locked

_LIST_SECONDS: Final = 60
_DOWNLOAD_SECONDS: Final = 600
# Lists and downloads go on while another apt holds its locks; a dead mirror is told soon.
_OPTIONS: Final = (
    "--option=Debug::NoLocking=true",
    "--option=Acquire::Retries=1",
    "--option=Acquire::http::Timeout=30",
    "--option=Acquire::https::Timeout=30",
)
_INSTALLED_ANEW: Final = re.compile(r"(?m)^Inst (\S+) \(")
_PROGRAM_FOLDERS: Final = ("usr/bin", "usr/sbin", "bin", "sbin", "usr/libexec")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Debian packages, unpacked beside the system.

    Attributes:
        root: The folder that takes the place of `/`.
    """

    root: Path

    def program(self, name: str) -> Path:
        """One of their programs.

        Args:
            name: Its name in the package. Links among alternatives are made by install scripts,
                which do not run here: slurmctld lies there as `slurmctld-wlm`.

        Raises:
            FileNotFoundError: None of the packages has it.
        """
        for folder in _PROGRAM_FOLDERS:
            path = self.root / folder / name
            if path.is_file() and os.access(path, os.X_OK):
                return path
        raise FileNotFoundError(f"no package unpacked in {self.root.name} has a program {name}")

    def environment(self) -> Mapping[str, str]:
        """Variables with which their programs find each other and their libraries."""
        libraries = {path.parent for path in self.root.rglob("*.so*") if path.is_file()}
        programs = [str(self.root / folder) for folder in _PROGRAM_FOLDERS]
        return {
            "LD_LIBRARY_PATH": ":".join(sorted(map(str, libraries))),
            "PATH": ":".join([*programs, os.environ.get("PATH", os.defpath)]),
        }


def debian_program(name: str, package: str) -> Path:
    """A program that runs by itself: the machine's own, else that of its package.

    Args:
        name: Its name: promtool.
        package: The Debian package that has it: prometheus.
    """
    own = shutil.which(name)
    return Path(own) if own else _unpacked((package,), with_dependencies=False).program(name)


def debian_packages(*packages: str) -> Unpacked:
    """Packages with what they depend on and the machine has not got.

    Args:
        packages: Their names. What they merely recommend is left out.
    """
    return _unpacked(packages, with_dependencies=True)


@functools.cache
def _unpacked(packages: tuple[str, ...], *, with_dependencies: bool) -> Unpacked:
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        pytest.skip(f"needs the Debian packages {' '.join(packages)}: here is no apt-get")
    wanted = _with_dependencies(packages) if with_dependencies else packages
    files = _files(wanted)
    digest = hashlib.sha256("\n".join(sorted(files)).encode()).hexdigest()[:16]
    folder = engine_cache() / "debian" / f"{packages[0]}-{digest}"
    if not folder.is_dir():
        with locked(folder.with_suffix(".lock"), lambda: None):
            if not folder.is_dir():
                _unpack(wanted, folder)
    return Unpacked(folder)


def _with_dependencies(packages: tuple[str, ...]) -> tuple[str, ...]:
    listing = _apt("install", "--simulate", "--no-install-recommends", *packages)
    missing = _INSTALLED_ANEW.findall(listing)
    # A package that the machine has brings its programs too, though nothing new comes with it.
    return tuple(dict.fromkeys([*packages, *missing]))


def _files(packages: tuple[str, ...]) -> tuple[str, ...]:
    """File names of the packages, which hold their versions and the architecture."""
    listing = _apt("download", "--print-uris", *packages)
    return tuple(line.split()[1] for line in listing.splitlines() if line.startswith("'"))


def _unpack(packages: tuple[str, ...], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        downloads, root = Path(made, "downloads"), Path(made, "root")
        downloads.mkdir()
        _apt("download", *packages, into=downloads)
        for archive in sorted(downloads.glob("*.deb")):
            subprocess.run(["dpkg", "-x", archive, root], check=True)
        root.rename(folder)


def _apt(action: str, *arguments: str, into: Path | None = None) -> str:
    try:
        done = subprocess.run(
            ["apt-get", "--quiet", *_OPTIONS, action, *arguments],
            cwd=into,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
            timeout=_DOWNLOAD_SECONDS if into else _LIST_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        pytest.skip(f"apt-get {action} gave no answer in {error.timeout:.0f} s")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        pytest.skip(
            f"apt-get {action} failed, perhaps for want of `apt-get update` or a network: {last}"
        )
    return done.stdout
