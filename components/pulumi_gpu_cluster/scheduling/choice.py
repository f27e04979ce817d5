"""What other concerns need to know of the scheduler that a site chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import kubernetes_pools
from pulumi_gpu_cluster.objects.rights import CHANGE, LOOK, Right
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import pool_shares

Scheduler = Literal["kueue", "volcano"]

NODE_GROUP_LABEL: Final = "volcano.sh/nodegroup-name"
"""Label on a node by which Volcano's nodegroup plugin keeps a queue to its pool."""

DEFAULT_QUEUE: Final = "default"
"""A LocalQueue of this name takes every job of its namespace that names no queue."""

_SUBMIT: Final = (*LOOK, *CHANGE)

# A tenant's own runtimes start pods like any other, and what holds pods holds those.
_FRAMEWORK_RIGHTS: Final = (
    Right("jobset.x-k8s.io", ("jobsets",), _SUBMIT),
    Right("trainer.kubeflow.org", ("trainingruntimes", "trainjobs"), _SUBMIT),
)

_KUEUE_RIGHTS: Final = (
    Right("kueue.x-k8s.io", ("localqueues", "workloads"), LOOK),
    *_FRAMEWORK_RIGHTS,
    Right("leaderworkerset.x-k8s.io", ("leaderworkersets",), _SUBMIT),
    Right("kubeflow.org", ("mpijobs",), _SUBMIT),
    Right("ray.io", ("rayclusters", "rayjobs", "rayservices"), _SUBMIT),
)

_VOLCANO_RIGHTS: Final = (
    Right("batch.volcano.sh", ("cronjobs", "jobs"), _SUBMIT),
    Right("scheduling.volcano.sh", ("podgroups",), LOOK),
    *_FRAMEWORK_RIGHTS,
)

# What Kueue lets run carries podset, services included; those never end, and their controllers
# bring their pods back, so nobody waits for them.
# source: kubernetes-sigs/kueue v0.19.2 pkg/constants, pkg/controller/jobframework
_KUEUE_JOBS: Final = "kueue.x-k8s.io/podset,!pod-template-hash,!apps.kubernetes.io/pod-index"
# source: volcano-sh/volcano v1.15.1 pkg/controllers/job
_VOLCANO_JOBS: Final = "volcano.sh/job-name"


QUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"
"""On a job or pod: the LocalQueue that admits it, in Kueue."""

# source: volcano-sh/volcano v1.15.1 pkg/controllers/podgroup, staging apis scheduling/v1beta1
_VOLCANO_QUEUE: Final = "scheduling.volcano.sh/queue-name"


@dataclass(frozen=True, slots=True)
class QueuedPod:
    """What a plain pod carries so that the tenant's queue in a pool admits it.

    Attributes:
        labels: Its labels.
        annotations: Its annotations.
        scheduler: The scheduler that it names; empty for the cluster's default.
    """

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    scheduler: str


def queued_pod(kind: Scheduler, tenant: str, pool: str) -> QueuedPod:
    """How a pod of a tenant gets into the tenant's queue in a pool."""
    if kind == "kueue":
        return QueuedPod({QUEUE_LABEL: DEFAULT_QUEUE}, {}, "")
    return QueuedPod({}, {_VOLCANO_QUEUE: pool_queue_name(tenant, pool)}, "volcano")


def queue_rights(kind: Scheduler) -> tuple[Right, ...]:
    """A member's rights on the scheduler's objects: to submit work, and see where it stands."""
    return _KUEUE_RIGHTS if kind == "kueue" else _VOLCANO_RIGHTS


def job_selector(kind: Scheduler) -> str:
    """Label selector of pods that belong to jobs, which end by themselves."""
    return _KUEUE_JOBS if kind == "kueue" else _VOLCANO_JOBS


def node_labels_for(kind: Scheduler, pool: NodePoolArgs) -> Mapping[str, str]:
    """Labels that the scheduler needs on the pool's nodes."""
    if kind != "volcano" or pool.workload != "kubernetes":
        return {}
    return {NODE_GROUP_LABEL: node_group(pool)}


def node_group(pool: NodePoolArgs) -> str:
    """The pool's node group: its own name, or what its nodes are labelled with already."""
    return (pool.selector or {}).get(NODE_GROUP_LABEL, pool.name)


def pool_queue_name(tenant: str, pool: str) -> str:
    """Name of a tenant's queue in one pool, in Volcano.

    Names of tenants and pools have no dots, so no two are alike.
    """
    return f"{tenant}.{pool}"


def queue_names(kind: Scheduler, tenant: TenantArgs, pools: Iterable[NodePoolArgs]) -> list[str]:
    """The queues that a tenant's jobs may name; none needs to be named where there is one."""
    if kind == "kueue":
        return [DEFAULT_QUEUE]
    mine = pool_shares(tenant, kubernetes_pools(pools))
    return [pool_queue_name(tenant.name, pool) for pool in mine]
