"""Promises about the repository itself that nobody would notice breaking."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

FORBIDDEN = {
    "a registry's address": re.compile(
        r"\b(?:files\.)?pythonhosted\.org|\bpypi\.org/|proxy\.golang\.org|sum\.golang\.org"
        r"|registry\.npmjs\.org|deb\.debian\.org|repo1?\.maven",
    ),
    "a path of one person's machine": re.compile(r"/(?:root|home/[a-z]+|work)/"),
}


def _tracked(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return [root / name for name in listed.stdout.split("\0") if name]


@pytest.mark.parametrize("what", sorted(FORBIDDEN))
def test_no_tracked_file_holds(root: Path, what: str) -> None:
    guilty = [
        f"{path.relative_to(root)}: {match.group()}"
        for path in _tracked(root)
        if path.is_file() and path != Path(__file__) and path.suffix not in {".xz", ".gz", ".zip"}
        for match in FORBIDDEN[what].finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not guilty


def test_the_lock_names_every_package_with_a_hash(root: Path) -> None:
    lines = (root / "requirements.lock").read_text().splitlines()
    packages = [line for line in lines if re.match(r"[A-Za-z0-9]", line)]
    assert packages, "the lock is empty"
    unhashed = [
        line
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if re.match(r"[A-Za-z0-9]", line) and "--hash=" not in after
    ]
    assert not unhashed
