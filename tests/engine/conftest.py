"""An engine cache of the test's own, and a Go compiler that only pretends."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pretended_go import SCRIPT, FakeGo


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPU_CLUSTER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "engine"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing but a shell's own programs, and a folder to put more in."""
    folder = tmp_path / "path"
    folder.mkdir()
    for name in ("sh", "ls", "sleep", "test", "chmod", "true", "false"):
        found = next(d for d in ("/bin", "/usr/bin") if os.access(f"{d}/{name}", os.X_OK))
        (folder / name).symlink_to(f"{found}/{name}")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return folder


@pytest.fixture
def place(path: Path) -> Callable[..., Path]:
    """Put a program on PATH that prints a line and ends."""

    def put(name: str, line: str, folder: Path = path, code: int = 0) -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{line}'\nexit {code}\n")
        program.chmod(0o755)
        return program

    return put


@pytest.fixture
def go(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGo:
    program = path / "go"
    program.write_text(SCRIPT)
    program.chmod(0o755)
    fake = FakeGo(tmp_path / "calls", tmp_path / "modules")
    fake.modules.mkdir()
    monkeypatch.setenv("FAKE_GO_CALLS", str(fake.calls_file))
    monkeypatch.setenv("FAKE_GO_MODULES", str(fake.modules))
    return fake


@pytest.fixture
def told() -> list[str]:
    """Collects the progress lines."""
    return []
