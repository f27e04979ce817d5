"""Stand-ins of what watches over nodes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn

HEALTH: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "node-problem-detector": StandIn(
            source=Source("charts/node-problem-detector"),
            workloads=(),
            open_paths=("settings.custom_monitor_definitions",),
        ),
    }
)
"""By the chart's name."""
