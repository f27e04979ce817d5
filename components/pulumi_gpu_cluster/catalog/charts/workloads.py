"""Charts of services for the people who use the cluster."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart

# source: jupyterhub/zero-to-jupyterhub-k8s tag 4.4.0, jupyterhub/ (no CRDs)
JUPYTERHUB: Final = Chart(
    name="jupyterhub",
    repository="https://hub.jupyter.org/helm-chart/",
    version=versions.JUPYTERHUB,
)
