"""What kube-state-metrics tells of queues and drivers, and the rights it needs for that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pulumi_gpu_cluster.monitoring.promql import DRIVER_STATE, LOCAL_QUEUE_JOBS, QUEUE_JOBS
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import selector
from pulumi_gpu_cluster.scheduling.choice import Scheduler

_PREFIX: Final = "gpu_cluster"
# source: crds of kueue 0.19.2 and volcano 1.15.1: status of their queues
_KUEUE_COUNTS: Final = {"waiting": "pendingWorkloads", "running": "admittedWorkloads"}
_VOLCANO_COUNTS: Final = {"waiting": "pending", "starting": "inqueue", "running": "running"}
# source: NVIDIA/gpu-operator v26.7.0 api/nvidia/v1alpha1: status.state
_DRIVER_STATES: Final = ("ready", "notReady", "ignored", "disabled")


@dataclass(frozen=True, slots=True)
class Watched:
    """A kind of custom resource that kube-state-metrics reads.

    Attributes:
        group: Its API group.
        version: The version that is read.
        kind: Its kind.
        plural: Its name in URLs, for the rights.
        labels: Where each label of its metrics lies in the object.
        metrics: Its metrics, as kube-state-metrics takes them.
    """

    group: str
    version: str
    kind: str
    plural: str
    labels: dict[str, list[str]]
    metrics: list[dict[str, Any]]

    def resource(self) -> dict[str, Any]:
        """The entry in the configuration of kube-state-metrics."""
        return {
            "groupVersionKind": {"group": self.group, "version": self.version, "kind": self.kind},
            "metricNamePrefix": _PREFIX,
            "labelsFromPath": self.labels,
            "metrics": self.metrics,
        }

    def rule(self) -> dict[str, list[str]]:
        """The right to read it, and no more than that."""
        return {
            "apiGroups": [self.group],
            "resources": [self.plural],
            "verbs": ["list", "watch"],
        }


def watched(scheduler: Scheduler, *, drivers: bool) -> list[Watched]:
    """The custom resources of a cluster that are worth watching.

    Args:
        scheduler: The batch scheduler, whose queues these are.
        drivers: Whether there are pools with GPUs.
    """
    name = {"queue": ["metadata", "name"]}
    if scheduler == "kueue":
        queues = [
            Watched(
                "kueue.x-k8s.io",
                "v1beta2",
                "ClusterQueue",
                "clusterqueues",
                name,
                _counts(QUEUE_JOBS, _KUEUE_COUNTS),
            ),
            Watched(
                "kueue.x-k8s.io",
                "v1beta2",
                "LocalQueue",
                "localqueues",
                {**name, "namespace": ["metadata", "namespace"]},
                _counts(LOCAL_QUEUE_JOBS, _KUEUE_COUNTS),
            ),
        ]
    else:
        queues = [
            Watched(
                "scheduling.volcano.sh",
                "v1beta1",
                "Queue",
                "queues",
                name,
                _counts(QUEUE_JOBS, _VOLCANO_COUNTS),
            )
        ]
    return [*queues, *([_driver()] if drivers else [])]


def state_metrics_values(
    scheduler: Scheduler, pools: Iterable[NodePoolArgs], *, drivers: bool
) -> dict[str, Any]:
    """Values of the bundled kube-state-metrics chart.

    source: prometheus-community/helm-charts kube-state-metrics-8.4.0 values.yaml
    """
    kinds = watched(scheduler, drivers=drivers)
    keys = sorted({key for pool in pools for key in selector(pool)})
    return {
        "metricLabelsAllowlist": [f"nodes=[{','.join(keys)}]"],
        # Nothing of ours reads these, and the right to list them is one to read every password.
        "collectorsExclude": ["configmaps", "secrets"],
        "customResourceState": {
            "enabled": True,
            "config": {
                "kind": "CustomResourceStateMetrics",
                "spec": {"resources": [kind.resource() for kind in kinds]},
            },
        },
        "rbac": {"extraRules": [kind.rule() for kind in kinds]},
        "resources": {
            "requests": {"cpu": "100m", "memory": "256Mi"},
            "limits": {"memory": "1Gi"},
        },
    }


def _counts(metric: str, paths: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": metric.removeprefix(f"{_PREFIX}_"),
            "help": "Jobs in the queue",
            "commonLabels": {"state": state},
            "each": {"type": "Gauge", "gauge": {"path": ["status", field], "nilIsZero": True}},
        }
        for state, field in paths.items()
    ]


def _driver() -> Watched:
    state = {"labelName": "state", "path": ["status", "state"], "list": list(_DRIVER_STATES)}
    return Watched(
        "nvidia.com",
        "v1alpha1",
        "NVIDIADriver",
        "nvidiadrivers",
        {"driver": ["metadata", "name"]},
        [
            {
                "name": DRIVER_STATE.removeprefix(f"{_PREFIX}_"),
                "help": "State of a pool's driver",
                "each": {"type": "StateSet", "stateSet": state},
            }
        ],
    )
