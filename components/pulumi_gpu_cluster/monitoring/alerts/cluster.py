"""Alerts about nodes, quotas, and the monitoring itself."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.health.monitors import CONDITIONS
from pulumi_gpu_cluster.monitoring.alerts.rule import Alert, Group
from pulumi_gpu_cluster.monitoring.promql import STATE_JOB, any_of, matchers
from pulumi_gpu_cluster.tenancy.labels import QUOTA

REPLACED: Final = ("KubeNodeNotReady", "KubeQuotaAlmostFull", "KubeQuotaFullyUsed")
"""Alerts of the chart's own that ours take the place of."""


def cluster_alerts() -> Group:
    """What may go wrong around the GPUs."""
    return Group(
        "gpu-cluster-cluster", (_node_not_ready(), _node_faulty(), _quota_reached(), _blind())
    )


def _node_not_ready() -> Alert:
    ready = matchers(STATE_JOB, {"condition": "Ready", "status": "true"})
    return Alert(
        "NodeNotReady",
        f"max by (node) (kube_node_status_condition{ready}) == 0",
        "critical",
        "Node {{ $labels.node }} is not ready",
        "Its kubelet has not reported, or says that it cannot run pods, for five minutes. Pods "
        "on it are lost or will be.",
        hold="5m",
    )


def _node_faulty() -> Alert:
    # What the kernel logged: some XIDs never come by way of the GPUs' exporter.
    faults = f'job="{STATE_JOB}", condition=~"{any_of(CONDITIONS)}", status="true"'
    return Alert(
        "NodeFaulty",
        f"max by (node, condition) (kube_node_status_condition{{{faults}}}) == 1",
        "critical",
        "Node {{ $labels.node }} reports {{ $labels.condition }}",
        "Its kernel logged an error after which the hardware is not to be trusted. Drain the node "
        "and see to it; afterwards delete its pod of node-problem-detector, which ends this alert.",
    )


def _quota_reached() -> Alert:
    return Alert(
        "TenantQuotaReached",
        f"{_quota('used')} >= {_quota('hard')} > 0",
        "info",
        "{{ $labels.tenant }} has reached its ceiling of {{ $labels.resource }}",
        "Pods that ask for more are refused. Where work waits for long, raise the tenant's "
        "ceiling in the site file.",
        hold="15m",
    )


def _quota(kind: str) -> str:
    # By tenant and not by namespace, so that the alert goes by one route only.
    of = matchers(STATE_JOB, {"resourcequota": QUOTA, "type": kind})
    named = f'label_replace(kube_resourcequota{of}, "tenant", "$1", "namespace", "(.+)")'
    return f"max by (tenant, resource) ({named})"


def _blind() -> Alert:
    return Alert(
        "ClusterStateUnknown",
        f"absent(kube_node_info{matchers(STATE_JOB)})",
        "critical",
        "Nothing is known of the cluster's state",
        "kube-state-metrics is not read, so no alert on nodes, quotas or missing GPU metrics can "
        "fire. Look at its pod.",
        hold="10m",
    )
