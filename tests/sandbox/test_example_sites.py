"""The example sites, whole: up, up again, refresh and down, under the policy pack."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_project import (
    Project,
    RunningSite,
    assert_nothing_changed,
    bring_up,
    processes_that_mention,
)

EXAMPLES = ("research-institute", "ai-lab", "managed-cloud")


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest, project: Project, root: Path) -> Iterator[RunningSite]:
    """One example after the other, as its file stands; its tests run in the order written."""
    name: str = request.param
    shutil.copy(root / "stacks" / f"Pulumi.{name}.yaml", project.folder / "stacks")
    yield bring_up(project, name)
    project.sandbox("stop", "--site", name)


# Nothing of ours dumps Slurm's database yet.
KNOWN = {"ai-lab": {("advisory", "database-without-backup")}}


def test_an_example_comes_up_and_no_policy_objects(example: RunningSite) -> None:
    output = example.first_up.output
    assert "Policies:" in output, "the pack must have judged it"
    found = re.findall(r"- \[(mandatory|advisory)\](?: \[severity: \w+\])?  ([\w-]+) ", output)
    told = set(found)
    assert told == KNOWN.get(example.name, set()), output


def test_a_second_up_of_an_example_changes_nothing(example: RunningSite) -> None:
    assert_nothing_changed(example.sandbox("up"))


def test_a_refresh_of_an_example_shows_no_drift(example: RunningSite) -> None:
    refreshed = example.pulumi("refresh", "--yes", "--expect-no-changes")
    assert refreshed.code == 0, refreshed.output


def test_an_example_keeps_its_data_until_that_is_said_and_then_leaves_nothing(
    example: RunningSite,
) -> None:
    kept = example.sandbox("down")
    assert kept.code == 1, kept.output
    gone = example.sandbox("down", "--lose-data")
    assert gone.code == 0, gone.output
    assert not example.state.exists()
    assert not processes_that_mention(example.state)
