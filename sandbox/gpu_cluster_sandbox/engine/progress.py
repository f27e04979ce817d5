"""Run a long command with its output in a log and a line now and then for the person waiting."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Final

from gpu_cluster_sandbox.engine.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

PULSE: Final = 15.0
"""Seconds between two lines about a command that is still running."""

_REASON_LINES: Final = 12


def run_logged(  # noqa: PLR0913 - one command's whole setting, all by name
    title: str,
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    log: Path,
    report: Callable[[str], None],
) -> None:
    """Run `command`, reporting its start, that it lives, and its end.

    Raises:
        EngineError: The command failed; the message carries the log's last lines and its path.
    """
    started = time.monotonic()
    report(f"{title} ...")
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            while True:
                try:
                    code = process.wait(PULSE)
                    break
                except subprocess.TimeoutExpired:
                    report(f"{title}: still at it after {_seconds(started)}")
        except BaseException:
            process.terminate()
            raise
    if code:
        raise EngineError(
            f"{title} failed with exit code {code}:\n{_last_lines(log)}",
            f"read the whole log, {log}; what was compiled so far is kept for the next run",
        )
    report(f"{title}: done in {_seconds(started)}")


def _seconds(started: float) -> str:
    return f"{time.monotonic() - started:.0f} s"


def _last_lines(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    # What was downloaded is not why it failed.
    told = [line for line in lines if not line.startswith("go: downloading ")] or lines
    return "\n".join(f"  {line}" for line in told[-_REASON_LINES:]) or "  (it said nothing)"
