"""Charts that watch over nodes."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart

# source: deliveryhero/helm-charts commit 17aac330c35a, stable/node-problem-detector
NODE_PROBLEM_DETECTOR: Final = Chart(
    name="node-problem-detector",
    repository="oci://ghcr.io/deliveryhero/helm-charts",
    version=versions.NODE_PROBLEM_DETECTOR,
)
