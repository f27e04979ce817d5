"""gpu-cluster check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_site import raw_site, stack_text, tenant

from pulumi_gpu_cluster.cli.check import command


@pytest.fixture
def sound(tmp_path: Path) -> str:
    return _write(tmp_path / "sound.yaml")


@pytest.fixture
def warned(tmp_path: Path) -> str:
    return _write(tmp_path / "warned.yaml", tenants=[tenant(), tenant("vision", group="ml-team")])


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    return _write(tmp_path / "faulty.yaml", tenants=[tenant(quota={"train": {"gpu": 99}})])


def _write(path: Path, **changes: object) -> str:
    path.write_text(stack_text(raw_site(**changes)))
    return str(path)


def test_a_sound_file_is_ok(sound: str) -> None:
    result = CliRunner().invoke(command, [sound])
    assert (result.exit_code, result.output) == (0, f"{sound}: ok\n")


def test_a_warning_fails_only_a_strict_check(warned: str) -> None:
    result = CliRunner().invoke(command, [warned])
    assert result.exit_code == 0
    assert result.output.startswith("warning group-shared site.tenants[1].group: ")
    assert result.output.endswith(f"{warned}: 1 warning\n")
    assert CliRunner().invoke(command, ["--strict", warned]).exit_code == 1


def test_all_findings_of_all_files_are_told_at_once(sound: str, warned: str, faulty: str) -> None:
    result = CliRunner().invoke(command, [faulty, sound, warned])
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith("error quota-over-capacity site.tenants[0].quota.train.gpu: ")
    assert lines[1:3] == [f"{faulty}: 1 error", f"{sound}: ok"]
    assert lines[-1] == f"{warned}: 1 warning"


def test_a_program_reads_fields(faulty: str, warned: str) -> None:
    result = CliRunner().invoke(command, ["--format", "json", faulty, warned])
    report = json.loads(result.output)
    assert result.exit_code == 1
    assert (report["errors"], report["warnings"]) == (1, 1)
    assert [entry["file"] for entry in report["files"]] == [faulty, warned]
    assert report["files"][1]["findings"] == [
        {
            "severity": "warning",
            "rule": "group-shared",
            "path": "site.tenants[1].group",
            "message": "ml-team is the group of site.tenants[0] too",
            "fix": "give each tenant a group of its own",
            "waivable": True,
        }
    ]


def test_the_day_to_judge_by_can_be_given(tmp_path: Path) -> None:
    file = _write(tmp_path / "site.yaml")
    quiet = CliRunner().invoke(command, ["--as-of", "2028-06-30", file])
    late = CliRunner().invoke(command, ["--as-of", "2028-07-01", file])
    assert quiet.output == f"{file}: ok\n"
    assert late.output.startswith("warning driver-branch-ended site.node_pools[0].driver: ")
    assert late.exit_code == 0


@pytest.mark.parametrize(
    "arguments", [[], ["--as-of", "soon", "x.yaml"], ["--format", "xml", "x.yaml"], ["--nope"]]
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(command, arguments).exit_code == 2


def test_a_missing_file_has_the_form_of_every_finding(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere.yaml")
    result = CliRunner().invoke(command, [path])
    assert result.exit_code == 1
    assert result.output.startswith(
        f"error unreadable-file {path}: no such file or directory; fix: "
    )
