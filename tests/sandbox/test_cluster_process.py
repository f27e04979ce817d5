from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from plugin_process import alive, eventually

from gpu_cluster_sandbox.cluster.process import Process

SLEEP = [shutil.which("sleep") or "", "60"]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    made = Process("part", tmp_path / "run" / "part.json", tmp_path / "logs" / "part.log")
    yield made
    made.adopt()
    made.stop(grace=1)


def record(process: Process) -> dict[str, object]:
    content: dict[str, object] = json.loads(process.pid_file.read_text())
    return content


def adopted(process: Process) -> int | None:
    """Looked for again: a process's environment can be read only a moment after its start."""
    process.adopt()
    return process.pid()


def test_a_started_process_is_found_by_a_later_look(process: Process) -> None:
    process.start(SLEEP)
    again = Process("part", process.pid_file, process.log)
    assert again.pid() == record(process)["pid"]
    assert again.runs(SLEEP)
    assert not again.runs([*SLEEP, "1"]), "another command line is another process"


def test_it_leads_a_session_of_its_own(process: Process) -> None:
    process.start(SLEEP)
    pid = process.pid()
    assert pid
    assert os.getsid(pid) == pid, "Ctrl-C in the terminal would reach it"


def test_a_killed_process_is_not_found(process: Process) -> None:
    process.start(SLEEP)
    process.signal(signal.SIGKILL)
    assert eventually(lambda: process.pid() is None)


def test_a_pid_that_was_given_out_again_is_never_killed(process: Process) -> None:
    with subprocess.Popen(SLEEP) as stranger:
        # The kernel counts in hundredths of a second; nobody gets a pid again within one.
        time.sleep(0.05)
        process.start(SLEEP)
        first = record(process)
        process.signal(signal.SIGKILL)
        process.pid_file.write_text(json.dumps(first | {"pid": stranger.pid}))
        assert process.pid() is None
        process.stop(grace=1)
        assert alive(stranger.pid)
        stranger.kill()


def test_a_pid_from_before_the_machine_started_is_never_killed(process: Process) -> None:
    process.start(SLEEP)
    pid = process.pid()
    assert pid
    kept = process.pid_file.read_text()
    process.pid_file.write_text(json.dumps(record(process) | {"boot": "another"}))
    process.stop(grace=1)
    assert alive(pid)
    process.pid_file.write_text(kept)


def test_a_process_whose_pid_file_was_lost_is_found_again(process: Process) -> None:
    process.start(SLEEP)
    pid = process.pid()
    process.pid_file.unlink()
    assert process.pid() is None
    assert eventually(lambda: adopted(process) == pid)
    assert not process.runs(SLEEP), "nobody knows how it was started"


def test_a_broken_pid_file_is_as_good_as_none(process: Process) -> None:
    process.start(SLEEP)
    process.pid_file.write_text("{")
    assert process.pid() is None
    assert eventually(lambda: adopted(process))


def test_one_that_does_not_want_to_end_is_made_to(process: Process, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    stubborn = f"trap '' TERM; touch {ready}; while true; do sleep 1; done"
    process.start(["/bin/sh", "-c", stubborn])
    assert eventually(ready.exists)
    pid = process.pid()
    assert pid
    process.stop(grace=0.2)
    assert not alive(pid)
    assert not process.pid_file.exists()


def test_a_changed_program_file_is_another_command(process: Process, tmp_path: Path) -> None:
    program = tmp_path / "program"
    shutil.copy(SLEEP[0], program)
    command = [str(program), "60"]
    process.start(command)
    assert process.runs(command)
    shutil.copy("/bin/true", tmp_path / "newer")
    (tmp_path / "newer").replace(program)
    assert not process.runs(command)


def test_the_same_program_under_another_name_of_its_folder_is_the_same_command(
    process: Process, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    shutil.copy(SLEEP[0], program)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "program").hardlink_to(program)
    process.start([str(program), "60"])
    assert process.runs([str(elsewhere / "program"), "60"])


def test_it_inherits_no_passphrase(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "hunter2")
    process.start(SLEEP)
    environment = Path(f"/proc/{process.pid()}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"hunter2" not in environment


def test_output_is_added_to_the_log_which_only_its_owner_reads(process: Process) -> None:
    for word in ("first", "second"):
        process.start(["/bin/sh", "-c", f"echo {word}; echo {word} >&2"])
        assert eventually(lambda: process.pid() is None)
    assert process.log.read_text().split() == ["first", "first", "second", "second"]
    assert process.log.stat().st_mode & 0o077 == 0
