"""Findings for other programs: SARIF and JUnit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from click.testing import CliRunner
from made_site import raw_site, stack_text, tenant

from pulumi_gpu_cluster.cli.check import command
from pulumi_gpu_cluster.reading.places import Places


def _write(path: Path, **changes: object) -> Path:
    path.write_text(yaml.safe_dump(json.loads(stack_text(raw_site(**changes)))))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    sound = _write(tmp_path / "sound.yaml")
    over = [tenant(quota={"train": {"gpu": 99}}), tenant("vision", group="ml-team")]
    return [str(sound), str(_write(tmp_path / "faulty.yaml", tenants=over))]


def test_sarif_marks_the_line_of_each_finding(files: list[str]) -> None:
    done = CliRunner().invoke(command, ["--format", "sarif", *files])
    assert done.exit_code == 1
    report: dict[str, Any] = json.loads(done.output)
    assert report["version"] == "2.1.0"
    (run,) = report["runs"]
    assert run["tool"]["driver"]["name"] == "gpu-cluster"
    told = {one["ruleId"]: one for one in run["results"]}
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == set(told)
    over, shared = told["quota-over-capacity"], told["group-shared"]
    assert (over["level"], shared["level"]) == ("error", "warning")
    place = over["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == files[1]
    line: int = place["region"]["startLine"]
    marked = Path(files[1]).read_text().splitlines()[line - 1]
    assert marked.strip().startswith("gpu:")
    assert over["message"]["text"].startswith("site.tenants[0].quota.train.gpu: ")
    assert "; fix: " in over["message"]["text"]


@pytest.mark.parametrize(
    ("options", "failures", "skipped"), [([], "1", "1"), (["--strict"], "2", "0")]
)
def test_junit_has_a_suite_for_each_file_and_a_case_for_each_finding(
    files: list[str], options: list[str], failures: str, skipped: str
) -> None:
    done = CliRunner().invoke(command, ["--format", "junit", *options, *files])
    assert done.exit_code == 1
    sound, faulty = ET.fromstring(done.output)  # noqa: S314 - our own
    assert [case.get("name") for case in sound] == ["check"], "a file without a word passed"
    assert (faulty.get("failures"), faulty.get("skipped")) == (failures, skipped)
    assert {case.get("name") for case in faulty} == {
        "site.tenants[0].quota.train.gpu",
        "site.tenants[1].group",
    }
    (failure, *_) = faulty.iter("failure")
    assert "; fix: " in (failure.get("message") or "")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("site.name", 3),
        ("site.node_pools[1].name", 6),
        ("site.node_pools[1].driver", 6),
        ("site.node_pools[7].name", 4),
        ("site.storage", 2),
        ("elsewhere", 1),
    ],
)
def test_a_path_is_found_or_else_what_is_above_it(tmp_path: Path, path: str, line: int) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text(
        "config:\n  gpu-cluster:site:\n    name: lab\n    node_pools:\n"
        "      - {name: a}\n      - {name: b}\n"
    )
    assert Places(file).line_of(path) == line


def test_a_file_that_cannot_be_read_still_has_a_first_line(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text("a: [")
    assert Places(tmp_path / "odd.yaml").line_of("site.name") == 1
    assert Places(tmp_path / "missing.yaml").line_of("site.name") == 1


def test_a_key_with_dots_of_its_own_has_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text(
        "config:\n  gpu-cluster:site:\n    quota:\n      gpu: 1\n"
        "      gpu.shared:\n        ceiling: 2\n"
    )
    places = Places(file)
    assert places.line_of("site.quota.gpu.shared") == 5
    assert places.line_of("site.quota.gpu.shared.ceiling") == 6
    assert places.line_of("site.quota.gpu") == 4


def test_a_fault_of_the_yaml_itself_has_the_line_it_was_found_on(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text("config:\n  gpu-cluster:site:\n    node_pools: [\n")
    done = CliRunner().invoke(command, ["--format", "sarif", str(file)])
    (result,) = json.loads(done.output)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}


@pytest.mark.parametrize("form", ["sarif", "junit"])
def test_a_file_nested_past_all_reason_is_reported_and_no_fault_of_ours(
    tmp_path: Path, form: str
) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text("config:\n  gpu-cluster:site: " + "[" * 5000 + "]" * 5000)
    done = CliRunner().invoke(command, ["--format", form, str(file)])
    assert done.exit_code == 1
    assert "yaml-syntax" in done.output or "yaml-too-large" in done.output, done.exception


def test_no_character_of_a_file_makes_a_report_that_xml_readers_refuse(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text(
        'config:\n  gpu-cluster:site:\n    name: "a\\x01"\n    "k\\x02": 1\n    "\\x1b[31m": 1\n'
    )
    done = CliRunner().invoke(command, ["--format", "junit", str(file)])
    names = [case.get("name") for case in ET.fromstring(done.output).iter("testcase")]  # noqa: S314 - our own
    assert {r"site.k\x02", r"site.\x1b[31m"} <= set(names)


def test_the_file_of_a_sarif_report_is_an_address(tmp_path: Path) -> None:
    file = _write(tmp_path / "my site.yaml", name="A")
    done = CliRunner().invoke(command, ["--format", "sarif", str(file)])
    (result, *_) = json.loads(done.output)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].endswith("/my%20site.yaml")
