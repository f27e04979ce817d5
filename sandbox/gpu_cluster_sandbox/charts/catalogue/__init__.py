"""Which charts have a stand-in, and where their facts are harvested from.

A further chart is one entry here and one in the product's catalogue, both in the file of its
concern, then a harvest.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.gpu import GPU
from gpu_cluster_sandbox.charts.catalogue.health import HEALTH
from gpu_cluster_sandbox.charts.catalogue.monitoring import MONITORING
from gpu_cluster_sandbox.charts.catalogue.network import NETWORK
from gpu_cluster_sandbox.charts.catalogue.scheduling import SCHEDULING
from gpu_cluster_sandbox.charts.catalogue.slurm import SLURM
from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload
from gpu_cluster_sandbox.charts.catalogue.storage import STORAGE
from gpu_cluster_sandbox.charts.catalogue.workloads import WORKLOADS

__all__ = ["STAND_INS", "Source", "StandIn", "Workload"]

STAND_INS: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        **GPU,
        **NETWORK,
        **HEALTH,
        **MONITORING,
        **SCHEDULING,
        **WORKLOADS,
        **SLURM,
        **STORAGE,
    }
)
"""Every stand-in, by the chart's name."""
