"""What holds a tenant inside its namespace: quota, defaults for pods, and the network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import (
    LimitRange,
    LimitRangeItemArgs,
    LimitRangeSpecArgs,
    ResourceQuota,
    ResourceQuotaSpecArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    IPBlockArgs,
    NetworkPolicy,
    NetworkPolicyEgressRuleArgs,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)

_OBJECT: Final = "gpu-cluster"
_DEFAULT_CPU: Final = "1"
_DEFAULT_MEMORY: Final = "4Gi"
# source: kubernetes/kubernetes cluster/addons/dns/nodelocaldns, its link-local address
_NODE_LOCAL_DNS: Final = "169.254.20.10/32"
_EVERY_POD: Final = LabelSelectorArgs()


def quota(
    name: str, namespace: str, hard: Mapping[str, str], opts: pulumi.ResourceOptions
) -> ResourceQuota:
    """The tenant's ceiling."""
    return ResourceQuota(
        name,
        metadata=ObjectMetaArgs(name=_OBJECT, namespace=namespace),
        spec=ResourceQuotaSpecArgs(hard=dict(hard)),
        opts=opts,
    )


def pod_defaults(name: str, namespace: str, opts: pulumi.ResourceOptions) -> LimitRange:
    """CPU and memory for containers that state none, which the quota would refuse.

    Nothing of the kind for GPUs: a default would give one to every container, or take one
    from the quota for each sidecar. No limit on CPU either, which would only slow pods down
    on a node that has CPUs to spare.
    """
    return LimitRange(
        name,
        metadata=ObjectMetaArgs(name=_OBJECT, namespace=namespace),
        spec=LimitRangeSpecArgs(
            limits=[
                LimitRangeItemArgs(
                    type="Container",
                    default_request={"cpu": _DEFAULT_CPU, "memory": _DEFAULT_MEMORY},
                    default={"memory": _DEFAULT_MEMORY},
                )
            ]
        ),
        opts=opts,
    )


def closed_network(name: str, namespace: str, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """No traffic in or out of any pod, but for what other policies allow."""
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="default-deny", namespace=namespace),
        spec=NetworkPolicySpecArgs(pod_selector=_EVERY_POD, policy_types=["Ingress", "Egress"]),
        opts=opts,
    )


def own_network(name: str, namespace: str, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Traffic between the tenant's own pods, and to the cluster's DNS."""
    neighbours = [NetworkPolicyPeerArgs(pod_selector=_EVERY_POD)]
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="allow-own-and-dns", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=_EVERY_POD,
            policy_types=["Ingress", "Egress"],
            ingress=[NetworkPolicyIngressRuleArgs(from_=neighbours)],
            egress=[
                NetworkPolicyEgressRuleArgs(to=neighbours),
                NetworkPolicyEgressRuleArgs(
                    to=_dns(),
                    ports=[
                        NetworkPolicyPortArgs(port=53, protocol=protocol)
                        for protocol in ("UDP", "TCP")
                    ],
                ),
            ],
        ),
        opts=opts,
    )


def _dns() -> list[NetworkPolicyPeerArgs]:
    return [
        NetworkPolicyPeerArgs(
            namespace_selector=LabelSelectorArgs(
                match_labels={"kubernetes.io/metadata.name": "kube-system"}
            ),
            pod_selector=LabelSelectorArgs(match_labels={"k8s-app": "kube-dns"}),
        ),
        NetworkPolicyPeerArgs(ip_block=IPBlockArgs(cidr=_NODE_LOCAL_DNS)),
    ]
