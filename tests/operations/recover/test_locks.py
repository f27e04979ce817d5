"""Whose lock may be removed: only that of a process of this machine that is gone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pulumi_gpu_cluster.operations.recover.errors import RecoverError
from pulumi_gpu_cluster.operations.recover.locks import (
    Lock,
    abandoned,
    backend_folder,
    locks_of,
    project_file,
    project_settings,
)
from pulumi_gpu_cluster.operations.recover.processes import end, orphaned_plugins, took_a_lock

CONTENT = {
    "pid": 4711,
    "username": "ci",
    "hostname": "runner",
    "timestamp": "2026-11-30T12:45:44.388432472Z",
}


def write(folder: Path, place: str, content: object = CONTENT, name: str = "one") -> Path:
    path = folder / ".pulumi/locks" / place / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.with_name(f"{path.name}.attrs").write_text("{}")
    return path


@pytest.mark.parametrize("place", ["organization/site/lab", "lab"])
@pytest.mark.parametrize("stack", ["lab", "organization/site/lab"])
def test_locks_are_found_where_the_backend_keeps_them(
    tmp_path: Path, place: str, stack: str
) -> None:
    path = write(tmp_path, place)
    write(tmp_path, "organization/site/other")
    write(tmp_path, "organization/elsewhere/lab")
    (lock,) = locks_of(tmp_path, "site", stack)
    assert (lock.path, lock.pid, lock.user, lock.host) == (path, 4711, "ci", "runner")
    assert str(lock).startswith(f"{path}: taken by ci@runner, process 4711, at 2026-11-30T")


def test_a_removed_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    path = write(tmp_path, "organization/site/lab")
    locks_of(tmp_path, "site", "lab")[0].remove()
    assert list(path.parent.iterdir()) == []
    assert locks_of(tmp_path, "site", "lab") == ()


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps(CONTENT | {"timestamp": "noon"})])
def test_a_lock_that_makes_no_sense_is_nobodys_to_remove(tmp_path: Path, content: str) -> None:
    write(tmp_path, "organization/site/lab", content)
    (lock,) = locks_of(tmp_path, "site", "lab")
    assert str(lock) == f"{lock.path} makes no sense"
    assert not abandoned(lock, "", lambda _pid, _at: False)


def test_only_its_own_machine_can_tell_that_a_process_is_gone() -> None:
    lock = Lock(Path("x"), 4711, "ci", "runner", 0.0)
    assert abandoned(lock, "runner", lambda _pid, _at: False)
    assert not abandoned(lock, "runner", lambda _pid, _at: True)
    assert not abandoned(lock, "laptop", lambda _pid, _at: False)


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("file:///srv/state", "/srv/state"),
        ("file:///srv/my%20state?no_tmp_dir=true", "/srv/my state"),
        ("file://./state", "state"),
        ("s3://bucket/state", None),
        ("https://states.example", None),
    ],
)
def test_only_a_file_backend_has_a_folder_of_locks(url: str, folder: str | None) -> None:
    assert backend_folder(url) == (None if folder is None else Path(folder))


def test_the_project_is_found_from_below_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: site\nmain: infra/\n")
    (tmp_path / "infra").mkdir()
    file = project_file(tmp_path / "infra")
    assert project_settings(file) == {"name": "site", "main": "infra/"}
    file.write_text("main: infra/\n")
    with pytest.raises(RecoverError, match="names no project; fix: mend it"):
        project_settings(file)
    file.unlink()
    with pytest.raises(RecoverError, match=r"^there is no Pulumi.yaml in .*infra or above; fix: "):
        project_file(tmp_path / "infra")


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_a_living_process_took_the_lock_unless_it_is_younger(
    sleeper: subprocess.Popen[bytes],
) -> None:
    now = time.time()
    assert took_a_lock(sleeper.pid, now)
    assert not took_a_lock(sleeper.pid, now - 3600), "its number was another process's then"


def test_a_process_called_pulumi_is_never_taken_for_another(tmp_path: Path) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.symlink_to("/bin/sleep")
    process = subprocess.Popen([pulumi, "60"])
    try:
        assert took_a_lock(process.pid, time.time() - 3600)
    finally:
        process.kill()
        process.wait()


def test_a_killed_process_is_gone_even_before_its_parent_notices(
    sleeper: subprocess.Popen[bytes],
) -> None:
    sleeper.kill()
    give_up = time.monotonic() + 5
    while took_a_lock(sleeper.pid, time.time()):
        assert time.monotonic() < give_up
        time.sleep(0.01)


def test_a_plugin_whose_engine_is_gone_is_found_and_ended(tmp_path: Path) -> None:
    import socket  # noqa: PLC0415 (only here)

    plugin = tmp_path / "pulumi-resource-test"
    plugin.write_text("import sys, time\nprint('up', flush=True)\ntime.sleep(60)\n")
    engine: Any = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{engine.getsockname()[1]}"
    process = subprocess.Popen(
        [sys.executable, plugin, address], cwd=tmp_path, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"

        def found() -> list[Any]:
            return [one for one in orphaned_plugins(tmp_path) if one.pid == process.pid]

        assert found() == [], "its engine listens"
        engine.close()
        (orphan,) = found()
        assert orphaned_plugins(tmp_path.parent) == (), "another program's"
        assert orphan.program == "pulumi-resource-test"
        end(orphan)
        assert process.wait(timeout=5) == -15
        end(orphan)
    finally:
        process.kill()
        process.wait()
        process.stdout.close() if process.stdout else None
