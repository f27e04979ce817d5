"""The real promtool and amtool at work on what we make."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from debian_programs import debian_program

from pulumi_gpu_cluster.monitoring.alerts.rule import Group


def promtool() -> Path:
    return debian_program("promtool", "prometheus")


def amtool() -> Path:
    return debian_program("amtool", "prometheus-alertmanager")


def write_rules(folder: Path, groups: Iterable[Group]) -> Path:
    """The groups as a file of rules. JSON is YAML too."""
    path = folder / "rules.yaml"
    path.write_text(json.dumps({"groups": [group.as_dict() for group in groups]}))
    return path


def run(*command: object) -> str:
    """What a program says; an AssertionError with it where it is not content."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def rehearse(
    folder: Path, groups: Iterable[Group], rehearsals: Iterable[Mapping[str, Any]]
) -> None:
    """Lets promtool feed series to rules and compare the alerts with those expected.

    Args:
        folder: A folder for the files.
        groups: The rules.
        rehearsals: What promtool takes as `tests`.
    """
    write_rules(folder, groups)
    test = folder / "test.yaml"
    names = [group.name for group in groups]
    content = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "group_eval_order": names,
        "tests": list(rehearsals),
    }
    test.write_text(json.dumps(content))
    run(promtool(), "test", "rules", test)


def expect(
    group: Group,
    alert: str,
    at: str,
    *told: Mapping[str, str],
    text: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What promtool is to find of an alert at a time.

    Args:
        group: The rules.
        alert: Name of one of them.
        at: The time.
        told: Labels of each alert that fires then; none where it is silent.
        text: What is filled into summary and description beside the labels.
    """
    rule = next(one.as_dict() for one in group.rules if one.as_dict().get("alert") == alert)
    expected: list[dict[str, Any]] = []
    for labels in told:
        fill = {f"{{{{ $labels.{name} }}}}": value for name, value in labels.items()}
        filled = dict(rule["annotations"])
        for place, value in {**fill, **(text or {})}.items():
            filled = {key: one.replace(place, value) for key, one in filled.items()}
        expected.append({"exp_labels": {**rule["labels"], **labels}, "exp_annotations": filled})
    return {"eval_time": at, "alertname": alert, "exp_alerts": expected}


def rehearsal(series: Mapping[str, str], *expectations: Mapping[str, Any]) -> dict[str, Any]:
    """One of promtool's tests: series, and what is expected of alerts. No values, no series."""
    given = [{"series": name, "values": values} for name, values in series.items() if values]
    return {"interval": "1m", "input_series": given, "alert_rule_test": list(expectations)}
