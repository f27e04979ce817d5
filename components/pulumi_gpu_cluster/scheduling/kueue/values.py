"""Values of the kueue chart: the controller's configuration, which the chart takes as text."""

from __future__ import annotations

from typing import Any, Final

import yaml

from pulumi_gpu_cluster.network.resources import RDMA_PREFIXES
from pulumi_gpu_cluster.scheduling.args import KueueArgs
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

# Kueue finds out by itself which of these kinds the cluster has. Deployments and plain pods are
# among them so that nothing in a tenant's namespace gets GPUs past its queue.
_FRAMEWORKS: Final = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "trainer.kubeflow.org/trainjob",
    "leaderworkerset.x-k8s.io/leaderworkerset",
    "kubeflow.org/mpijob",
    "ray.io/rayjob",
    "ray.io/raycluster",
    "ray.io/rayservice",
    "pod",
    "deployment",
    "statefulset",
)

# A pod may ask for these without its queue having a quota on them. GPU resources must never be
# here: one that a queue does not name is one that its tenant does not have.
_UNCOUNTED: Final = ("ephemeral-storage", "hugepages-", *RDMA_PREFIXES)


def kueue_values(args: KueueArgs) -> dict[str, Any]:
    """What differs from the chart's own values.

    Two controllers, since their webhooks fail closed: with none that answers, no tenant's pod
    can be created.

    Args:
        args: What the site says of Kueue.
    """
    text = yaml.safe_dump(configuration(args), sort_keys=False)
    return {
        "controllerManager": {"replicas": 2, "podDisruptionBudget": {"enabled": True}},
        "managerConfig": {"controllerManagerConfigYaml": text},
    }


def configuration(args: KueueArgs) -> dict[str, Any]:
    """The controller's configuration, whole: the chart's own text is replaced by it.

    Args:
        args: What the site says of Kueue.

    source: kubernetes-sigs/kueue v0.19.2 apis/config/v1beta2, charts/kueue/values.yaml
    """
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {
            "groupKindConcurrency": {
                "Job.batch": 5,
                "Pod": 5,
                "Workload.kueue.x-k8s.io": 10,
                "LocalQueue.kueue.x-k8s.io": 5,
                "ClusterQueue.kueue.x-k8s.io": 5,
                "ResourceFlavor.kueue.x-k8s.io": 1,
            }
        },
        "clientConnection": {"qps": 300, "burst": 500},
        # Only tenants' namespaces: the webhooks stop what they cannot judge, and they must
        # never stand in the way of a system's own pods. From 0.19 on the selector holds for every
        # kind of job and cannot be switched off, even for jobs elsewhere that name a queue.
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {
            "matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]
        },
        # A job whose pods cannot all start gives its place to another.
        "waitForPodsReady": {
            "timeout": args.wait_for_pods,
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Eviction",
                **({} if args.retries is None else {"backoffLimitCount": args.retries}),
            },
        },
        "integrations": {"frameworks": list(_FRAMEWORKS)},
        "fairSharing": {
            "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        },
        "resources": {"excludeResourcePrefixes": list(_UNCOUNTED)},
    }
