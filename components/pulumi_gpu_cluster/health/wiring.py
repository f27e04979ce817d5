"""Health in a cluster."""

from __future__ import annotations

from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.health.problem_detector import ProblemDetector


def problem_detector(cluster: Composition) -> list[ProblemDetector]:
    """node-problem-detector, where the site has it."""
    site = cluster.site
    if not site.health.problem_detector.enabled:
        return []
    return [
        ProblemDetector(
            cluster.named("problem-detector"),
            site.health.problem_detector,
            pools=site.node_pools,
            charts=site.charts,
            opts=cluster.inside(),
        )
    ]
