"""The processes a plugin has started, so that none of them outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

_GRACE_SECONDS: Final = 2.0


class Children:
    """Starts processes and ends those that still run."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def run(  # noqa: PLR0913 - Popen's own settings, all by name
        self,
        command: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        stdin: int | None = None,
        output: int | None = None,
        apart: bool = False,
    ) -> Generator[subprocess.Popen[bytes]]:
        """A process that is gone when the block is left, whatever happens in it.

        Args:
            command: Program and arguments.
            cwd: The folder it starts in.
            environment: Its whole environment.
            stdin: As subprocess has it.
            output: For standard output and standard error, as subprocess has it.
            apart: In a group of its own, so that all that it starts ends with it.
        """
        with self._lock:
            if self._closed:
                raise ChildProcessError("the plugin is about to end and starts nothing more")
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=stdin,
                stdout=output,
                stderr=output,
                start_new_session=apart,
            )
            self._running.add(process)
        try:
            yield process
            process.wait()
        finally:
            _end([process])
            with self._lock:
                self._running.discard(process)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    with suppress(OSError):
                        stream.close()

    def stop(self) -> None:
        """End every process that runs."""
        with self._lock:
            running = list(self._running)
        _end(running)

    def close(self) -> None:
        """End every process that runs and start no other."""
        with self._lock:
            self._closed = True
        self.stop()


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    alive = [process for process in processes if process.poll() is None]
    for process in alive:
        _signal(process, signal.SIGTERM)
    for process in alive:
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
            process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """To the process and, where it leads a group of its own, to all that it started."""
    with suppress(ProcessLookupError):
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
