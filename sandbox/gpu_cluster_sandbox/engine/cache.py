"""Where built programs lie, what names an entry, and the locks that keep two runs apart."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpu_cluster_sandbox.engine.pins import MODULES, Program, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# Part of every key: raise it when the way of building changes, so that nothing old is used.
_RECIPE: Final = "1 trimpath strip no-cgo"


def engine_cache() -> Path:
    """The engine's folder in the user's cache.

    `GPU_CLUSTER_CACHE` names another place; it is shared by every checkout and site.
    """
    named = os.environ.get("GPU_CLUSTER_CACHE")
    if named:
        return Path(named).expanduser().absolute() / "engine"
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser().absolute() / "gpu-cluster" / "engine"


def entry(item: Program | Script) -> Path:
    """The cache folder of a program or script, named by everything that decides its content."""
    digest = hashlib.sha256(f"{_RECIPE} {platform.system()} {platform.machine()}".encode())
    digest.update(repr(_recipe(item)).encode())
    for path in sorted((MODULES / item.module).iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return engine_cache() / f"{item.name}-{digest.hexdigest()[:16]}"


def _recipe(item: Program | Script) -> tuple[object, ...]:
    if isinstance(item, Script):
        return item.go_module, item.path
    return item.package, item.version, item.variables, item.schema_of, *item.carries, *item.mounts


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Generator[None]:
    """Hold `path` as a lock; `waiting` is called once if another process has it.

    The kernel gives the lock back when its holder dies, so a killed run blocks nobody.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    told = False
    while True:
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not told:
                    waiting()
                told = True
                fcntl.flock(file, fcntl.LOCK_EX)
            # The holder before may have removed the file that was waited for.
            if not path.exists() or not path.samefile(f"/proc/self/fd/{file.fileno()}"):
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


@contextmanager
def build_space() -> Generator[Path]:
    """The folder of compiled packages, shared by builds that run at the same time."""
    space = engine_cache() / "go"
    space.mkdir(parents=True, exist_ok=True)
    with _space_lock() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield space


@contextmanager
def idle_build_space() -> Generator[Path | None]:
    """The same folder for its removal; None where another run still builds."""
    with _space_lock() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield engine_cache() / "go"


@contextmanager
def _space_lock() -> Generator[int]:
    path = engine_cache() / "go.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        yield file.fileno()
