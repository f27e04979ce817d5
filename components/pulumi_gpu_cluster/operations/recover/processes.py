"""Processes of this machine: who still lives, and who outlived the run that started it.

Read from /proc. Where there is none, a process lives while it can be signalled, and no orphan is
ever found.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_ENGINE: Final = re.compile(r"^127\.0\.0\.1:(\d+)$")
_PLUGIN: Final = "pulumi-resource-"
_GRACE_SECONDS: Final = 3.0
# Start times are counted in ticks since boot, lock times read from a clock that is set at boot.
_SLACK_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Process:
    """A process that is there.

    Attributes:
        pid: Its number.
        words: Its command line.
        started: When it started, in seconds since 1970.
    """

    pid: int
    words: tuple[str, ...]
    started: float

    @property
    def program(self) -> str:
        """Its plugin's name, or that of the program it runs."""
        names = [Path(word).name for word in self.words[:3]]
        plugin = next((name for name in names if name.startswith(_PLUGIN)), None)
        return plugin or (names[0] if names else "")


def took_a_lock(pid: int, at: float) -> bool:
    """Whether the process that took a lock is still there.

    Its number may have gone to another process since: that one has another name, and it started
    after the lock was taken.

    Args:
        pid: The process's number.
        at: When it took the lock, in seconds since 1970.
    """
    if not _PROC.is_dir():
        return _can_be_signalled(pid)
    process = _process(_PROC / str(pid))
    if process is None:
        return False
    return process.program == "pulumi" or process.started <= at + _SLACK_SECONDS


def orphaned_plugins(folder: Path) -> tuple[Process, ...]:
    """Resource plugins of a program's runs whose engine is gone.

    A killed command line leaves them at work: one that waits for a Helm release takes that
    release away when its time is up, whoever has installed it again by then.

    Args:
        folder: Where the program runs; the engine starts its plugins there.
    """
    if not _PROC.is_dir():
        return ()
    return tuple(process for process in _run_in(folder) if _outlived_its_engine(process))


def end(process: Process) -> None:
    """Ends a process, with force where asking does not help."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
        give_up = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < give_up:
            if _process(_PROC / str(process.pid)) is None:
                return
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)


def _outlived_its_engine(process: Process) -> bool:
    if not process.program.startswith(_PLUGIN):
        return False
    engine = next((found for word in process.words if (found := _ENGINE.match(word))), None)
    return engine is not None and not _listens(int(engine[1]))


def _listens(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.settimeout(1)
        return attempt.connect_ex(("127.0.0.1", port)) == 0


def _run_in(folder: Path) -> Iterator[Process]:
    """This user's processes with that working directory: others' cannot be read."""
    for entry in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == folder.resolve():
                process = _process(entry)
                if process is not None:
                    yield process


def _process(entry: Path) -> Process | None:
    """The process, unless it is gone or only waits to be noticed by its parent."""
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
        words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        boot = re.search(r"^btime (\d+)$", (_PROC / "stat").read_text(), re.MULTILINE)
    except OSError:
        return None
    if fields[0] in "ZX" or boot is None:
        return None
    started = int(boot[1]) + int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return Process(int(entry.name), tuple(word for word in words if word), started)


def _can_be_signalled(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
