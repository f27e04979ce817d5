"""What users' jobs may reach from inside Slurm's pods."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicy,
    NetworkPolicyEgressRuleArgs,
    NetworkPolicySpecArgs,
)

from pulumi_gpu_cluster.objects.network import apps, everywhere_but_metadata, node_local_dns

# source: SlinkyProject/slurm-operator v1.2.1 internal/builder/labels/labels.go: WorkerApp, LoginApp
_WHERE_USERS_ARE: Final = ("login", "slurmd")


def no_metadata(name: str, namespace: str, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Keeps jobs and logins from the addresses at which a node's cloud tells secrets.

    Everything else stays open: directories, storage, the internet, and Slurm itself, whose ports
    between nodes are any.

    Args:
        name: Name of the resource.
        namespace: Slurm's namespace.
        opts: Options of the resource.
    """
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="no-metadata", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=apps(*_WHERE_USERS_ARE),
            policy_types=["Egress"],
            egress=[NetworkPolicyEgressRuleArgs(to=[*everywhere_but_metadata(), node_local_dns()])],
        ),
        opts=opts,
    )
