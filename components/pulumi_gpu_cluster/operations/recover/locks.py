"""Locks of the file backend: a run that was killed leaves its own behind.

source: github.com/pulumi/pulumi/pkg/v3 v3.274.1, backend/diy/lock.go: one JSON file with pid,
username, hostname and timestamp per lock, in .pulumi/locks/<qualified stack name>/.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

import yaml

from pulumi_gpu_cluster.operations.recover.errors import RecoverError

_FILE: Final = "file://"
# Go writes up to nine digits of a second, and Python reads six.
_NANOSECONDS: Final = re.compile(r"(\.\d{6})\d+")


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock on a stack.

    Attributes:
        path: Its file.
        pid: The process that took it; 0 where the file makes no sense.
        user: Who ran it.
        host: On which machine.
        taken: When, in seconds since 1970.
    """

    path: Path
    pid: int
    user: str
    host: str
    taken: float

    def __str__(self) -> str:
        if not self.pid:
            return f"{self.path} makes no sense"
        when = datetime.fromtimestamp(self.taken).astimezone().isoformat(timespec="seconds")
        return f"{self.path}: taken by {self.user}@{self.host}, process {self.pid}, at {when}"

    def remove(self) -> None:
        """Removes it, with the file of attributes that the backend keeps beside it."""
        self.path.unlink(missing_ok=True)
        self.path.with_name(f"{self.path.name}.attrs").unlink(missing_ok=True)


def backend_folder(url: str) -> Path | None:
    """The folder of a file backend; None for every other kind of backend."""
    if not url.startswith(_FILE):
        return None
    path = urllib.parse.unquote(url.removeprefix(_FILE).partition("?")[0])
    return Path(path).expanduser()


def locks_of(folder: Path, project: str, stack: str) -> tuple[Lock, ...]:
    """All locks on a stack.

    Args:
        folder: The backend's folder.
        project: The project's name.
        stack: The stack's name, with or without organization and project.
    """
    name = stack.rpartition("/")[2]
    # Backends from before project-scoped stacks keep them by their bare names.
    places = (f"organization/{project}/{name}", name)
    root = folder / ".pulumi" / "locks"
    return tuple(_lock(path) for place in places for path in sorted((root / place).glob("*.json")))


def _lock(path: Path) -> Lock:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        taken = datetime.fromisoformat(_NANOSECONDS.sub(r"\1", content["timestamp"]))
        return Lock(
            path,
            int(content["pid"]),
            str(content["username"]),
            str(content["hostname"]),
            taken.timestamp(),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Lock(path, 0, "", "", 0.0)


def abandoned(lock: Lock, host: str, is_there: Callable[[int, float], bool]) -> bool:
    """Whether a lock's process is surely gone: only its own machine can tell.

    Args:
        lock: The lock.
        host: This machine's name.
        is_there: Tells whether the process that took a lock is still there.
    """
    return bool(lock.pid) and lock.host == host and not is_there(lock.pid, lock.taken)


def project_file(start: Path) -> Path:
    """The project's file, Pulumi.yaml, here or in the nearest folder above.

    Raises:
        RecoverError: There is none.
    """
    for folder in (start, *start.parents):
        for name in ("Pulumi.yaml", "Pulumi.yml"):
            if (folder / name).is_file():
                return folder / name
    raise RecoverError(f"there is no Pulumi.yaml in {start} or above; fix: run this in the project")


def project_settings(path: Path) -> dict[str, Any]:
    """What stands in the project's file.

    Raises:
        RecoverError: It makes no sense.
    """
    try:
        settings: object = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise RecoverError(f"cannot read {path}: {error}; fix: mend it") from None
    if not isinstance(settings, dict) or "name" not in settings:
        raise RecoverError(f"{path} names no project; fix: mend it")
    return cast("dict[str, Any]", settings)
