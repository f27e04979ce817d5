from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from pulumi_gpu_cluster.paths import from_project


def test_a_path_is_written_from_the_project_and_used_from_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "infra").mkdir()
    monkeypatch.chdir(tmp_path / "infra")
    monkeypatch.setattr(pulumi.runtime, "get_root_directory", lambda: str(tmp_path))
    assert from_project("charts") == "../charts", "the same on every machine"
    assert from_project("/srv/charts") == "/srv/charts"


def test_a_path_from_home_leads_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/opt/ada")
    assert from_project("~/.kube/config") == "/opt/ada/.kube/config"


def test_a_program_without_a_main_folder_sees_the_path_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pulumi.runtime, "get_root_directory", lambda: str(tmp_path))
    assert from_project("charts") == "charts"
