"""Who may ask what Prometheus and its neighbours know."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicy,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicySpecArgs,
)

from pulumi_gpu_cluster.objects.network import EVERY_POD, apps

# source: prometheus-operator and the chart's kube-state-metrics label their pods so. The operator
# is left out, for the API server asks its webhook from the nodes' addresses; Grafana too, which
# has a password, and whatever door the site makes to it.
_ANSWER_WITHOUT_A_PASSWORD: Final = ("alertmanager", "kube-state-metrics", "prometheus")


def own_namespace_only(name: str, namespace: str, opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Lets nobody but the namespace's own pods ask those that ask for no password.

    Who else is to, gets a NetworkPolicy of the site's own: they add up.

    Args:
        name: Name of the resource.
        namespace: The namespace of all of monitoring.
        opts: Options of the resource.
    """
    neighbours = [NetworkPolicyPeerArgs(pod_selector=EVERY_POD)]
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="own-namespace-only", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=apps(*_ANSWER_WITHOUT_A_PASSWORD),
            policy_types=["Ingress"],
            ingress=[NetworkPolicyIngressRuleArgs(from_=neighbours)],
        ),
        opts=opts,
    )
