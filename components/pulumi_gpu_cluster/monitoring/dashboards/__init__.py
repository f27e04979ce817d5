"""Dashboards, as typed code: each is a function that builds one."""

from __future__ import annotations

from pulumi_gpu_cluster.monitoring.dashboards.nodes import gpu_nodes
from pulumi_gpu_cluster.monitoring.dashboards.panels import as_json
from pulumi_gpu_cluster.monitoring.dashboards.queues import queues
from pulumi_gpu_cluster.monitoring.dashboards.tenants import tenants
from pulumi_gpu_cluster.scheduling.choice import Scheduler


def dashboards(scheduler: Scheduler) -> dict[str, str]:
    """Every dashboard of a cluster, as Grafana's JSON by its uid.

    Args:
        scheduler: The batch scheduler, whose queues are shown.
    """
    return {
        "gpu-nodes": as_json(gpu_nodes("gpu-nodes")),
        "gpu-queues": as_json(queues("gpu-queues", scheduler)),
        "gpu-tenants": as_json(tenants("gpu-tenants")),
    }
