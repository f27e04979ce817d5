"""Stacks that an older release made must live on under this one: updated, never replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import recorded_state
from sandbox_project import RunningSite


@pytest.fixture
def older(
    running: RunningSite, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[RunningSite]:
    """The running site, with the state that an older release left."""
    now = running.pulumi("stack", "export")
    assert now.code == 0, now.output
    deployment = now.output[now.output.index("{") :]
    then = tmp_path / "then.json"
    then.write_text(recorded_state.load(request.param, running.state, deployment))
    imported = running.pulumi("stack", "import", "--file", str(then))
    assert imported.code == 0, imported.output
    yield running
    before = tmp_path / "now.json"
    before.write_text(deployment)
    restored = running.pulumi("stack", "import", "--file", str(before))
    assert restored.code == 0, restored.output


@pytest.mark.parametrize("older", recorded_state.versions(), indirect=True)
def test_nothing_is_replaced_or_deleted(older: RunningSite) -> None:
    previewed = older.pulumi("preview", "--json")
    start = re.search(r"^\{$", previewed.output, re.MULTILINE)
    assert start is not None, previewed.output
    plan, _ = json.JSONDecoder().raw_decode(previewed.output[start.start() :])
    assert plan["steps"], previewed.output
    done = [(step["op"], step["urn"]) for step in plan["steps"]]
    # What is new comes beside what is there.
    assert not [step for step in done if step[0] not in {"same", "update", "read", "create"}]


def test_there_is_a_recorded_state_at_all() -> None:
    assert recorded_state.versions(), "without one, the test above proves nothing"
