"""One part of the control plane as a process of its own, found again by later runs.

A pid alone names nobody: numbers are given out again. The pid file carries the moment the
process started (and the machine's boot), and only a process that matches is ever signalled.
A marker in the environment finds the process too that was started by a run which was killed
before it could write the pid file.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpu_cluster_sandbox.cluster.files import write_private

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOG_BYTES: Final = 20 << 20
_POLL_SECONDS: Final = 0.05
_INHERITED: Final = ("HOME", "LANG", "PATH", "TMPDIR", "TZ", "USER")
_MARKER: Final = "GPU_CLUSTER_SANDBOX_PART"


@dataclass(frozen=True)
class Process:
    """A daemon with its pid file and its log."""

    name: str
    pid_file: Path
    log: Path

    def start(self, command: Sequence[str]) -> None:
        """Start it apart from this process: it survives the terminal and its Ctrl-C."""
        for folder in (self.pid_file.parent, self.log.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.log.exists() and self.log.stat().st_size > _LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old.log"))
        pid = os.posix_spawn(
            command[0],
            list(command),
            {**_environment(), _MARKER: str(self.pid_file)},
            setsid=True,
            # Python ignores SIGPIPE, and children inherit that.
            setsigdef=(signal.SIGPIPE,),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (
                    os.POSIX_SPAWN_OPEN,
                    1,
                    str(self.log),
                    os.O_WRONLY | os.O_CREAT | os.O_APPEND,
                    0o600,
                ),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )
        self._remember(pid, _key(command))

    def pid(self) -> int | None:
        """Its pid while it lives."""
        record = self._record()
        if not record or record["boot"] != _boot():
            return None
        pid = int(record["pid"])
        # Where a caller started it itself, the dead child is still in the table.
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        started = _start_time(pid)
        return pid if started is not None and started == record["start"] else None

    def runs(self, command: Sequence[str]) -> bool:
        """Whether it lives and was started by this very command."""
        record = self._record()
        return self.pid() is not None and bool(record) and record["key"] == _key(command)

    def age(self) -> float:
        """Seconds since its pid file was written."""
        return time.time() - self.pid_file.stat().st_mtime

    def stop(self, grace: float) -> None:
        """End it, by force after `grace` seconds, and forget it."""
        deadline = time.monotonic() + grace
        self.signal(signal.SIGTERM)
        while self.pid() is not None:
            if time.monotonic() > deadline:
                self.signal(signal.SIGKILL)
            time.sleep(_POLL_SECONDS)
        self.pid_file.unlink(missing_ok=True)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if it lives."""
        pid = self.pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def adopt(self) -> None:
        """Find it again where its pid file was lost; it then counts as started otherwise."""
        if self.pid() is not None:
            return
        marker = f"{_MARKER}={self.pid_file}".encode()
        for path in Path("/proc").glob("[0-9]*/environ"):
            # Other users' processes cannot be read, and others end meanwhile.
            with suppress(OSError):
                if marker in path.read_bytes().split(b"\0"):
                    self._remember(int(path.parent.name), key="")

    def _remember(self, pid: int, key: str) -> None:
        record = {"pid": pid, "start": _start_time(pid), "boot": _boot(), "key": key}
        write_private(self.pid_file, json.dumps(record).encode())

    def _record(self) -> dict[str, Any]:
        try:
            record: dict[str, Any] = json.loads(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return record


def _start_time(pid: int) -> int | None:
    """When the process started, in ticks since boot; None for one that has ended."""
    folder = Path(f"/proc/{pid}")
    try:
        stat = (folder / "stat").read_text()
        threads = len(list((folder / "task").iterdir()))
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in brackets, may contain anything; state is field 3, start time field 22.
    fields = stat.rpartition(")")[2].split()
    # Of a killed process the first thread is dead at once; while others still go, so do ports.
    ended = fields[0] in "ZX" and threads <= 1
    return None if ended else int(fields[19])


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _environment() -> dict[str, str]:
    """What a daemon needs of the user's environment, where passphrases and tokens lie too."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


def _key(command: Sequence[str]) -> str:
    """What a command comes to: its options, and which file the program and each file is.

    The program's folder does not count: the same program has a name in several.
    """
    digest = hashlib.sha256(Path(command[0]).name.encode())
    for word in command:
        if word != command[0]:
            digest.update(word.encode() + b"\0")
        path = Path(word.rpartition("=")[2])
        if path.is_absolute() and path.is_file():
            stat = path.stat()
            digest.update(f"{stat.st_ino} {stat.st_size} {stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()
