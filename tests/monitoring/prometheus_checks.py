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
