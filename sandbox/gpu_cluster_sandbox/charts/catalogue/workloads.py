"""Stand-ins of services for the people who use the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

WORKLOADS: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "jupyterhub": StandIn(
            source=Source("charts/jupyterhub"),
            unpublished="0.0.1-set.by.chartpress",
            workloads=(
                Workload('"hub"', placing="hub"),
                Workload('"proxy"', placing="proxy.chp"),
            ),
            # source: jupyterhub/values.schema.yaml, additionalProperties
            open_paths=("hub.config",),
        ),
    }
)
"""By the chart's name."""
