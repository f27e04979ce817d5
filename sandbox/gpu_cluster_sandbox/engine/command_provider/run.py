"""Run one command with its output kept and passed on line by line."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_cluster_sandbox.engine.children import Children
    from gpu_cluster_sandbox.engine.command_provider.inputs import Command


class CommandError(Exception):
    """The command failed; the message says how, which one, and what it wrote."""


@dataclass(frozen=True)
class Output:
    """What a command wrote, each without its last line feed."""

    stdout: str = ""
    stderr: str = ""


@dataclass
class _Record:
    """Both streams of a running command: each alone, and together in the order of arrival."""

    alone: dict[str, bytearray] = field(
        default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()}
    )
    together: bytearray = field(default_factory=bytearray)


def run(
    script: str,
    command: Command,
    previous: Output,
    *,
    children: Children,
    log: Callable[[str], None],
) -> Output:
    """Run `script` as `command` has it.

    Args:
        script: The text for the interpreter.
        command: Interpreter, folder, environment and standard input.
        previous: What the last create or update wrote, for the environment.
        children: Starts the process, and ends it when the engine wants that.
        log: Gets every line that is to be logged.

    Raises:
        CommandError: It did not start, or ended with another exit code than 0.
    """
    record = _Record()
    words = [*command.interpreter, script]
    # Go's %q, as the real provider quotes it.
    quoted = json.dumps(script, ensure_ascii=False)
    try:
        with children.run(
            words,
            cwd=command.directory or str(Path.cwd()),
            environment={**os.environ, **command.environment, **_previous(command, previous)},
            stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
            output=subprocess.PIPE,
            apart=True,
        ) as process:
            threads = [
                threading.Thread(
                    target=_keep, args=(stream, name, record, log if command.logs(name) else None)
                )
                for name, stream in (("stdout", process.stdout), ("stderr", process.stderr))
            ]
            for thread in threads:
                thread.start()
            _feed(process.stdin, command.stdin)
            for thread in threads:
                thread.join()
            code = process.wait()
    except OSError as error:
        raise CommandError(f"{error}: running {quoted}:\n") from None
    if code:
        how = f"exit status {code}" if code > 0 else f"signal {-code}"
        written = record.together.decode(errors="replace")
        raise CommandError(f"{how}: running {quoted}:\n{written}")
    return Output(**{name: _text(written) for name, written in record.alone.items()})


def _previous(command: Command, previous: Output) -> dict[str, str]:
    if not command.previous_output:
        return {}
    told = {
        "PULUMI_COMMAND_STDOUT": previous.stdout,
        "PULUMI_COMMAND_STDERR": previous.stderr,
    }
    return {name: text for name, text in told.items() if text}


def _feed(stdin: IO[bytes] | None, text: str) -> None:
    if not stdin:
        return
    try:
        stdin.write(text.encode())
        stdin.close()
    except BrokenPipeError:
        # It did not want to read all of it.
        pass


def _keep(
    stream: IO[bytes] | None, name: str, record: _Record, log: Callable[[str], None] | None
) -> None:
    for line in stream or ():
        record.alone[name] += line
        record.together += line
        if log:
            log(line.decode(errors="replace").rstrip("\n"))


def _text(written: bytearray) -> str:
    return written.decode(errors="replace").removesuffix("\n")
