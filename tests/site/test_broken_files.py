"""Broken site files with exactly what is said about them.

To write the expected findings anew after a change of words, run in tests/broken:
`for f in *.yaml; do gpu-cluster check --as-of 2026-09-01 $f > ${f%.yaml}.expected; done`,
and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pulumi_gpu_cluster.checks import RULES
from pulumi_gpu_cluster.cli.check import command

BROKEN = Path(__file__).resolve().parent.parent / "broken"
FILES = sorted(path.stem for path in BROKEN.glob("*.yaml"))


def test_there_are_at_least_ten_of_them() -> None:
    assert len(FILES) >= 10
    assert sorted(path.stem for path in BROKEN.glob("*.expected")) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_gives_exactly_the_expected_findings(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(BROKEN)
    result = CliRunner().invoke(command, ["--as-of", "2026-09-01", f"{name}.yaml"])
    assert result.output.splitlines() == (BROKEN / f"{name}.expected").read_text().splitlines()
    assert result.exit_code == 1


def test_every_rule_has_a_file_that_breaks_it() -> None:
    told = {
        line.split()[1]
        for path in BROKEN.glob("*.expected")
        for line in path.read_text().splitlines()
        if line.startswith(("error ", "warning "))
    }
    assert set(RULES) - told == set()
