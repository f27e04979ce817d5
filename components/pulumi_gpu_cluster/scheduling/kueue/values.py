"""Values of the kueue chart: the controller's configuration, which the chart takes as text."""

from __future__ import annotations

from typing import Any, Final

import yaml

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
_UNCOUNTED: Final = ("ephemeral-storage", "hugepages-", "rdma/")


def kueue_values() -> dict[str, Any]:
    """What differs from the chart's own values."""
    return {
        "managerConfig": {
            "controllerManagerConfigYaml": yaml.safe_dump(configuration(), sort_keys=False)
        }
    }


def configuration() -> dict[str, Any]:
    """The controller's configuration, whole: the chart's own text is replaced by it.

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
        # never stand in the way of a system's own pods.
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {
            "matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]
        },
        "integrations": {"frameworks": list(_FRAMEWORKS)},
        "fairSharing": {
            "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        },
        "resources": {"excludeResourcePrefixes": list(_UNCOUNTED)},
    }
