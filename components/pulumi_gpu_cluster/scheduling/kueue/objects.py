"""Kueue's objects, one function per kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import selector, taint_specs, tolerations
from pulumi_gpu_cluster.scheduling.choice import DEFAULT_QUEUE
from pulumi_gpu_cluster.scheduling.kueue.quotas import FlavorQuota, resource_groups
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

_API: Final = "kueue.x-k8s.io/v1beta2"


def resource_flavor(name: str, pool: NodePoolArgs, opts: pulumi.ResourceOptions) -> CustomResource:
    """A pool, as Kueue sees it: admitted pods are sent there and tolerate its taints."""
    spec: dict[str, Any] = {"nodeLabels": dict(selector(pool))}
    if pool.taints:
        spec |= {"nodeTaints": taint_specs(pool), "tolerations": tolerations(pool)}
    return _object(name, "ResourceFlavor", {"name": pool.name}, spec, opts)


def cohort(
    name: str, cohort_name: str, unpromised: Sequence[FlavorQuota], opts: pulumi.ResourceOptions
) -> CustomResource:
    """The queues that lend to one another, with what none of them was promised."""
    spec = {"resourceGroups": resource_groups(unpromised, borrowing=False)}
    return _object(name, "Cohort", {"name": cohort_name}, spec, opts)


def cluster_queue(
    name: str,
    tenant: str,
    *,
    cohort_name: str,
    quotas: Sequence[FlavorQuota],
    weight: int,
    preempt: Literal["lower-priority", "never"],
    stopped: bool,
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    """A tenant's queue, open to that tenant's namespaces only.

    What it lent comes back by preemption as soon as its own jobs need it, whatever the
    priority of those that borrowed: a guarantee is not a matter of priorities.
    """
    spec = {
        "cohortName": cohort_name,
        "namespaceSelector": {"matchLabels": {TENANT_LABEL: tenant}},
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": resource_groups(quotas, borrowing=True),
        "preemption": {
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority" if preempt == "lower-priority" else "Never",
        },
        "fairSharing": {"weight": str(weight)},
        # Held, not drained: what runs may end.
        "stopPolicy": "Hold" if stopped else "None",
    }
    return _object(name, "ClusterQueue", {"name": tenant}, spec, opts)


def local_queue(
    name: str, namespace: str, cluster_queue_name: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The door to a tenant's queue from its namespace."""
    metadata = {"name": DEFAULT_QUEUE, "namespace": namespace}
    return _object(name, "LocalQueue", metadata, {"clusterQueue": cluster_queue_name}, opts)


def _object(
    name: str,
    kind: str,
    metadata: dict[str, str],
    spec: dict[str, Any],
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    return CustomResource(
        name, api_version=_API, kind=kind, metadata=metadata, spec=spec, opts=opts
    )
