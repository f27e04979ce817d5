"""What the outputs of an older run tell the next one."""

from __future__ import annotations

from typing import Any

import pytest

from pulumi_gpu_cluster.operations.outcomes import GATES, attempts


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ({}, {}),
        ({"gates": "none"}, {}),
        ({"gates": {"gpu01": {"attempt": 2.0}, "gpu02": {}, "gpu03": "passed"}}, None),
    ],
    ids=["an-older-release", "nonsense", "some"],
)
def test_outputs_of_any_age_are_read(outputs: dict[str, Any], expected: Any) -> None:
    if expected is None:
        expected = {"gpu01": 2, "gpu02": 0, "gpu03": 0}
    assert attempts(outputs, GATES) == expected
