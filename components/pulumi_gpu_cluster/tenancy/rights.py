"""What a tenant's people may do in their namespace, and what nobody in it may.

Nobody writes ResourceQuotas, LimitRanges or NetworkPolicies, which hold the tenant; LocalQueues,
Workloads, Queues and PodGroups, which hold its place among others (a LocalQueue may point at any
tenant's queue); DaemonSets and PodDisruptionBudgets, which act on nodes that are everybody's; or
Namespaces.
"""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.objects.rights import CHANGE, LOOK, Right

MEMBER_ROLE: Final = "gpu-cluster-member"
ADMIN_ROLE: Final = "gpu-cluster-admin"
VIEWER_ROLE: Final = "gpu-cluster-viewer"

_WORKLOADS: Final = (
    Right("batch", ("cronjobs", "jobs"), (*LOOK, *CHANGE)),
    Right("apps", ("deployments", "statefulsets"), (*LOOK, *CHANGE)),
    Right("apps", ("deployments/scale", "statefulsets/scale"), (*LOOK, "patch", "update")),
    Right("", ("pods",), (*LOOK, *CHANGE)),
    Right("", ("pods/attach", "pods/exec", "pods/portforward"), ("create", "get")),
    Right("", ("configmaps", "persistentvolumeclaims", "secrets", "services"), (*LOOK, *CHANGE)),
)

_LOOKING: Final = (
    Right("", ("configmaps", "events", "persistentvolumeclaims", "pods", "services"), LOOK),
    Right("", ("pods/log",), ("get",)),
    Right("", ("limitranges", "resourcequotas"), LOOK),
    Right("apps", ("deployments", "replicasets", "statefulsets"), LOOK),
    Right("batch", ("cronjobs", "jobs"), LOOK),
    Right("events.k8s.io", ("events",), LOOK),
    Right("networking.k8s.io", ("networkpolicies",), LOOK),
)


def viewer_rights(queues: tuple[Right, ...]) -> tuple[Right, ...]:
    """What a viewer may do: see everything but secrets.

    Args:
        queues: What the scheduler's objects allow.
    """
    return (
        *_LOOKING,
        *(
            Right(right.group, right.resources, tuple(v for v in right.verbs if v in LOOK))
            for right in queues
        ),
    )


def member_rights(queues: tuple[Right, ...]) -> tuple[Right, ...]:
    """What a member may do: run workloads and keep data.

    Args:
        queues: What the scheduler's objects allow.
    """
    return (*_LOOKING, *_WORKLOADS, *queues)


def admin_rights() -> tuple[Right, ...]:
    """What an admin may do beyond a member: give and take members' and viewers' rights."""
    api = "rbac.authorization.k8s.io"
    return (
        Right(api, ("rolebindings",), (*LOOK, *CHANGE)),
        Right(api, ("roles",), LOOK),
        Right(api, ("roles",), ("bind",), (MEMBER_ROLE, VIEWER_ROLE)),
    )
