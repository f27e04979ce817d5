"""What holds a tenant inside its namespace: quotas, defaults for pods, and the network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import (
    LimitRange,
    LimitRangeItemArgs,
    LimitRangeSpecArgs,
    ResourceQuota,
    ResourceQuotaSpecArgs,
    ScopedResourceSelectorRequirementArgs,
    ScopeSelectorArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicy,
    NetworkPolicyEgressRuleArgs,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)

from pulumi_gpu_cluster.objects.network import EVERY_POD, dns, pods_of
from pulumi_gpu_cluster.objects.rights import Right
from pulumi_gpu_cluster.tenancy.labels import METRICS_LABEL, METRICS_PORT, QUOTA

_OBJECT: Final = "gpu-cluster"
_DEFAULT_CPU: Final = "1"
_DEFAULT_MEMORY: Final = "4Gi"
# source: kubernetes/kubernetes pkg/apis/scheduling: classes that every cluster has
_SYSTEM_CLASSES: Final = ("system-cluster-critical", "system-node-critical")
# As the API server writes it, or each refresh would show a change.
_MOST_OBJECTS: Final = "5k"
# Each of these may weigh a mebibyte in etcd, whose default quota is 2 GiB for all.
_MOST_TEXTS: Final = "500"
_TEXTS: Final = ("configmaps", "secrets")


def quota(
    name: str, namespace: str, hard: Mapping[str, pulumi.Input[str]], opts: pulumi.ResourceOptions
) -> ResourceQuota:
    """The tenant's ceiling."""
    return ResourceQuota(
        name,
        metadata=ObjectMetaArgs(name=QUOTA, namespace=namespace),
        spec=ResourceQuotaSpecArgs(hard=dict(hard)),
        opts=opts,
    )


def no_system_priority(name: str, namespace: str, opts: pulumi.ResourceOptions) -> ResourceQuota:
    """No pod of the priority of Kubernetes' own.

    The API server lets every namespace use these classes, and the scheduler would make room for
    such a pod by ending those of other tenants, guarantees or not.
    """
    system = ScopedResourceSelectorRequirementArgs(
        scope_name="PriorityClass", operator="In", values=list(_SYSTEM_CLASSES)
    )
    return _no_pods(name, namespace, "no-system-priority", system, opts)


def no_foreign_affinity(name: str, namespace: str, opts: pulumi.ResourceOptions) -> ResourceQuota:
    """No pod that wants to be near pods of other namespaces, or away from them.

    The scheduler keeps to such a wish both ways: a pod that wants to be away from everybody's
    pods keeps those of other tenants off its node, whatever they were guaranteed.
    """
    foreign = ScopedResourceSelectorRequirementArgs(
        scope_name="CrossNamespacePodAffinity", operator="Exists"
    )
    return _no_pods(name, namespace, "no-foreign-affinity", foreign, opts)


def _no_pods(
    name: str,
    namespace: str,
    what: str,
    scope: ScopedResourceSelectorRequirementArgs,
    opts: pulumi.ResourceOptions,
) -> ResourceQuota:
    return ResourceQuota(
        name,
        metadata=ObjectMetaArgs(name=f"{_OBJECT}-{what}", namespace=namespace),
        spec=ResourceQuotaSpecArgs(
            hard={"pods": "0"}, scope_selector=ScopeSelectorArgs(match_expressions=[scope])
        ),
        opts=opts,
    )


def object_counts(
    name: str, namespace: str, rights: Iterable[Right], opts: pulumi.ResourceOptions
) -> ResourceQuota:
    """How many objects of each kind there may be, so that one tenant cannot fill etcd for all.

    Nor any service that opens a port on the nodes or an address outside: the closed network
    would let nothing through to its pods, and ports and addresses are everybody's.

    Only kinds of Kubernetes' own are counted. The controller takes five minutes to know the
    count of a kind that a chart brought, and until then every such object is refused.

    Args:
        name: Name of the resource.
        namespace: The tenant's namespace.
        rights: What may be created there.
        opts: Options of the resource.
    """
    counts = {
        f"count/{resource}{right.group and '.'}{right.group}": (
            _MOST_TEXTS if not right.group and resource in _TEXTS else _MOST_OBJECTS
        )
        for right in rights
        if "create" in right.verbs and "." not in right.group
        for resource in right.resources
        if "/" not in resource
    }
    closed = {"services.loadbalancers": "0", "services.nodeports": "0"}
    return ResourceQuota(
        name,
        metadata=ObjectMetaArgs(name=f"{_OBJECT}-objects", namespace=namespace),
        spec=ResourceQuotaSpecArgs(hard={**counts, **closed}),
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
        spec=NetworkPolicySpecArgs(pod_selector=EVERY_POD, policy_types=["Ingress", "Egress"]),
        opts=opts,
    )


def own_network(name: str, namespace: str, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Traffic between the tenant's own pods, and to the cluster's DNS."""
    neighbours = [NetworkPolicyPeerArgs(pod_selector=EVERY_POD)]
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="allow-own-and-dns", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=EVERY_POD,
            policy_types=["Ingress", "Egress"],
            ingress=[NetworkPolicyIngressRuleArgs(from_=neighbours)],
            egress=[
                NetworkPolicyEgressRuleArgs(to=neighbours),
                NetworkPolicyEgressRuleArgs(
                    to=dns(),
                    ports=[
                        NetworkPolicyPortArgs(port=53, protocol=protocol)
                        for protocol in ("UDP", "TCP")
                    ],
                ),
            ],
        ),
        opts=opts,
    )


def metrics_network(
    name: str, namespace: str, reader: str, opts: pulumi.ResourceOptions
) -> NetworkPolicy:
    """Traffic from Prometheus to the one port of pods that say they have metrics.

    Args:
        name: Name of the resource.
        namespace: The tenant's namespace.
        reader: Prometheus' namespace.
        opts: Options of the resource.
    """
    prometheus = pods_of(reader, {"app.kubernetes.io/name": "prometheus"})
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="allow-metrics", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=LabelSelectorArgs(match_labels={METRICS_LABEL: "true"}),
            policy_types=["Ingress"],
            ingress=[
                NetworkPolicyIngressRuleArgs(
                    from_=[prometheus],
                    ports=[NetworkPolicyPortArgs(port=METRICS_PORT, protocol="TCP")],
                )
            ],
        ),
        opts=opts,
    )
