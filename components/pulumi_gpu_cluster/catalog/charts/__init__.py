"""The third-party charts this package installs, a file for each concern.

Versions are pinned in `versions.py` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet, merged_values
from pulumi_gpu_cluster.catalog.charts.gpu import GPU_OPERATOR
from pulumi_gpu_cluster.catalog.charts.health import NODE_PROBLEM_DETECTOR
from pulumi_gpu_cluster.catalog.charts.monitoring import KUBE_PROMETHEUS_STACK
from pulumi_gpu_cluster.catalog.charts.network import (
    CILIUM,
    NETWORK_OPERATOR,
    NODE_FEATURE_DISCOVERY,
    TIGERA_OPERATOR,
)
from pulumi_gpu_cluster.catalog.charts.scheduling import JOBSET, KUEUE, TRAINER, VOLCANO
from pulumi_gpu_cluster.catalog.charts.slurm import (
    CERT_MANAGER,
    MARIADB_OPERATOR,
    MARIADB_OPERATOR_CRDS,
    SLURM_OPERATOR,
    SLURM_OPERATOR_CRDS,
)
from pulumi_gpu_cluster.catalog.charts.storage import CEPH_CSI_DRIVERS, ROOK_CEPH
from pulumi_gpu_cluster.catalog.charts.workloads import JUPYTERHUB

__all__ = [
    "CEPH_CSI_DRIVERS",
    "CERT_MANAGER",
    "CHARTS",
    "CILIUM",
    "GPU_OPERATOR",
    "JOBSET",
    "JUPYTERHUB",
    "KUBE_PROMETHEUS_STACK",
    "KUEUE",
    "MARIADB_OPERATOR",
    "MARIADB_OPERATOR_CRDS",
    "NETWORK_OPERATOR",
    "NODE_FEATURE_DISCOVERY",
    "NODE_PROBLEM_DETECTOR",
    "ROOK_CEPH",
    "SLURM_OPERATOR",
    "SLURM_OPERATOR_CRDS",
    "TIGERA_OPERATOR",
    "TRAINER",
    "VOLCANO",
    "Chart",
    "CrdDelivery",
    "CrdSet",
    "merged_values",
]

CHARTS: Final[Mapping[str, Chart]] = MappingProxyType(
    {
        chart.name: chart
        for chart in (
            CILIUM,
            TIGERA_OPERATOR,
            NODE_FEATURE_DISCOVERY,
            NETWORK_OPERATOR,
            GPU_OPERATOR,
            JOBSET,
            KUBE_PROMETHEUS_STACK,
            KUEUE,
            NODE_PROBLEM_DETECTOR,
            TRAINER,
            VOLCANO,
            JUPYTERHUB,
            CERT_MANAGER,
            SLURM_OPERATOR_CRDS,
            SLURM_OPERATOR,
            MARIADB_OPERATOR_CRDS,
            MARIADB_OPERATOR,
            ROOK_CEPH,
            CEPH_CSI_DRIVERS,
        )
    }
)
"""Every chart, by its name."""
