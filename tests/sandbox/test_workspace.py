"""Where a sandbox may lie, and what its commands say where there is none; starts nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpu_cluster_sandbox.cli import main

PROJECT = "name: lab\nruntime: python\nstackConfigDir: stacks\n"
SITE = """\
config:
  gpu-cluster:site:
    name: lab
    control_plane: {version: 1.36.3}
    node_pools: [{name: general, nodes: n1, cpus: 8, memory: 16Gi}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one site, which was never brought up."""
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.lab.yaml").write_text(SITE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _told(*arguments: str) -> str:
    result: Result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    return result.output


@pytest.mark.parametrize("command", ["start", "stop", "status", "logs etcd"])
def test_a_site_without_a_sandbox_is_told_as_such(folder: Path, command: str) -> None:
    said = _told(*command.split(), "--site", "lab")
    assert said == "error: there is no sandbox of lab here; fix: bring it up: make up SITE=lab\n"
    assert not (folder / ".sandbox").exists()


@pytest.mark.parametrize("command", ["up", "down"])
def test_a_folder_with_other_things_in_it_is_never_taken_for_a_sandbox(
    folder: Path, command: str
) -> None:
    thesis = folder / "home" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    said = _told(command, "--site", "lab", "--state-dir", "home")
    assert "holds what the sandbox did not write" in said
    assert thesis.read_text() == "years of work"


def test_a_sandbox_whose_stack_file_is_gone_is_told_with_the_way_out(folder: Path) -> None:
    (folder / ".sandbox" / "old").mkdir(parents=True)
    said = _told("down", "--site", "old")
    assert "its sandbox is still there" in said
    assert "gpu-cluster-sandbox stop --site old" in said


def test_a_file_in_the_way_is_named_without_a_stack_trace(folder: Path) -> None:
    (folder / ".sandbox").write_text("")
    said = _told("up", "--site", "lab")
    assert f"error: {folder / '.sandbox' / 'lab'}: not a directory; fix: " in said


@pytest.mark.parametrize("text", [": : :\n", "lab\n", "", "\t- x"])
def test_a_project_file_that_is_none_is_told_without_a_stack_trace(folder: Path, text: str) -> None:
    (folder / "Pulumi.yaml").write_text(text)
    assert "Pulumi.yaml is no project file; fix: " in _told("up", "--site", "lab")
