"""What Prometheus reads beside what the chart's own monitors cover.

The GPU Operator makes a ServiceMonitor for its own metrics as soon as the kind is there; a
second one from here would count everything twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pulumi_gpu_cluster.monitoring.objects import PodMonitor, ServiceMonitor
from pulumi_gpu_cluster.monitoring.promql import CEPH_JOB, SLURM_JOB
from pulumi_gpu_cluster.scheduling.args import SchedulerArgs
from pulumi_gpu_cluster.tenancy.labels import METRICS_LABEL, METRICS_PORT

# By this label alone all queries here know a GPU's node; the exporter's own label for it is
# spelt differently from version to version.
_NODE: Final = {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}


def dcgm_exporter(namespace: str) -> ServiceMonitor:
    """The GPUs' metrics.

    source: NVIDIA/gpu-operator v26.7.0 assets/state-dcgm-exporter (service)

    Args:
        namespace: The GPU Operator's namespace.
    """
    return ServiceMonitor(
        name="nvidia-dcgm-exporter",
        namespace=namespace,
        labels={"app": "nvidia-dcgm-exporter"},
        port="gpu-metrics",
        job_label="app",
        interval="15s",
        relabelings=(_NODE,),
    )


def scheduler(args: SchedulerArgs) -> ServiceMonitor:
    """The batch scheduler's own metrics: how it decides, and how long that takes.

    source: kubernetes-sigs/kueue v0.19.2 charts/kueue/templates (metrics service);
    volcano-sh/volcano v1.15.1 installer/helm/chart/volcano/templates/scheduler.yaml
    """
    if args.kind == "kueue":
        return ServiceMonitor(
            name="kueue",
            namespace=args.release_namespace,
            labels={
                "app.kubernetes.io/name": "kueue",
                "app.kubernetes.io/component": "metrics-service",
            },
            port="https",
            job_label="app.kubernetes.io/name",
            scheme="https",
        )
    return ServiceMonitor(
        name="volcano-scheduler",
        namespace=args.release_namespace,
        labels={"app": "volcano-scheduler"},
        port="metrics",
        job_label="app",
    )


def slurm_controller(namespace: str) -> ServiceMonitor:
    """Slurm's jobs, nodes, partitions and scheduler, as its controller counts them.

    source: SlinkyProject/slurm-operator v1.2.1 internal/builder/controllerbuilder (service,
    ServiceMonitor); charts/slurm/values.yaml, controller.metrics

    Args:
        namespace: The namespace of Slurm's cluster.
    """
    return ServiceMonitor(
        name="slurm-controller",
        namespace=namespace,
        labels={"app.kubernetes.io/name": SLURM_JOB},
        port="slurmctld",
        job_label="app.kubernetes.io/name",
        interval="30s",
        paths=tuple(f"/metrics/{part}" for part in ("jobs", "nodes", "partitions", "scheduler")),
    )


def ceph(namespace: str) -> tuple[ServiceMonitor, ...]:
    """Ceph's active manager, which tells of the cluster, and the exporter of each node's daemons.

    Rook would make these itself, if it were installed after the kind is there and given rights
    for it. Rook's own operator has no metrics unless it is told to, and no service for them.

    source: rook/rook v1.20.6 pkg/operator/ceph/cluster/mgr/spec.go (MakeMetricsService) and
    pkg/operator/ceph/cluster/nodedaemon/exporter.go (MakeCephExporterMetricsService)

    Args:
        namespace: The namespace of Rook and Ceph.
    """
    ports = {CEPH_JOB: "http-metrics", "rook-ceph-exporter": "ceph-exporter-http-metrics"}
    return tuple(
        ServiceMonitor(
            name=app,
            namespace=namespace,
            labels={"app": app, "rook_cluster": namespace},
            port=port,
            job_label="app",
        )
        for app, port in ports.items()
    )


def tenant_pods(namespaces: Sequence[str]) -> PodMonitor:
    """Pods of tenants that say they have metrics."""
    return PodMonitor(
        name="tenants", namespaces=namespaces, labels={METRICS_LABEL: "true"}, port=METRICS_PORT
    )
