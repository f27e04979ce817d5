"""What a stand-in checks, and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.charts.facts import load_facts
from gpu_cluster_sandbox.charts.values_schema import schema_of


def values_schema(chart: str) -> dict[str, Any]:
    """The JSON Schema that a chart's values must fit: its value paths, no types of scalars.

    Args:
        chart: The chart's name.

    Raises:
        KeyError: There is no stand-in of that name.
    """
    return schema_of(load_facts(_known(chart)).values)


def unchecked() -> Mapping[str, tuple[str, ...]]:
    """For each chart the bundled charts whose values are unknown and so are not checked."""
    return {name: load_facts(name).unchecked for name in STAND_INS}


def _known(chart: str) -> str:
    if chart not in STAND_INS:
        raise KeyError(f"no stand-in for chart {chart!r}; there is {', '.join(STAND_INS)}")
    return chart
