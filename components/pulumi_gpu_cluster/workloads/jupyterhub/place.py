"""Where a tenant's hub is: its namespace, its address, and who may reach whom."""

from __future__ import annotations

from typing import Any, Final

import pulumi
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import (
    NetworkPolicy,
    NetworkPolicyEgressRuleArgs,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)

from pulumi_gpu_cluster.objects.rights import LOOK, Right
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

HUB_RIGHTS: Final = (
    Right("", ("pods",), (*LOOK, "create", "delete")),
    # Never to delete: a home outlives the hub that made it.
    Right("", ("persistentvolumeclaims",), (*LOOK, "create")),
    Right("", ("events",), LOOK),
)
"""What a hub may do in its tenant's namespace, and nowhere else."""

# source: jupyterhub/zero-to-jupyterhub-k8s 4.4.0 templates/{hub,proxy,singleuser}/netpol.yaml
_HUB_PORT: Final = 8081
_PROXY_PORT: Final = 8000
_SERVER_PORT: Final = 8888
_SERVERS: Final = {"app": "jupyterhub", "component": "singleuser-server"}


def server_access(tenant: str) -> list[dict[str, Any]]:
    """Who else reaches the hub, in its own network policy: servers in the tenant's namespace."""
    return [
        {
            "from": [
                {
                    "namespaceSelector": {"matchLabels": {TENANT_LABEL: tenant}},
                    "podSelector": {"matchLabels": dict(_SERVERS)},
                }
            ],
            "ports": [{"port": _HUB_PORT, "protocol": "TCP"}],
        }
    ]


def server_network(
    name: str, namespace: str, hub_namespace: str, opts: pulumi.ResourceOptions
) -> NetworkPolicy:
    """Opens the tenant's closed network between servers and the tenant's own hub."""
    hub = _peer(hub_namespace, "hub")
    proxy = _peer(hub_namespace, "proxy")
    return NetworkPolicy(
        name,
        metadata=ObjectMetaArgs(name="jupyterhub", namespace=namespace),
        spec=NetworkPolicySpecArgs(
            pod_selector=LabelSelectorArgs(match_labels=dict(_SERVERS)),
            policy_types=["Ingress", "Egress"],
            ingress=[
                NetworkPolicyIngressRuleArgs(from_=[hub, proxy], ports=[_port(_SERVER_PORT)]),
            ],
            egress=[
                NetworkPolicyEgressRuleArgs(to=[hub], ports=[_port(_HUB_PORT)]),
                NetworkPolicyEgressRuleArgs(to=[proxy], ports=[_port(_PROXY_PORT)]),
            ],
        ),
        opts=opts,
    )


def _peer(namespace: str, component: str) -> NetworkPolicyPeerArgs:
    return NetworkPolicyPeerArgs(
        namespace_selector=LabelSelectorArgs(
            match_labels={"kubernetes.io/metadata.name": namespace}
        ),
        pod_selector=LabelSelectorArgs(match_labels={"app": "jupyterhub", "component": component}),
    )


def _port(port: int) -> NetworkPolicyPortArgs:
    return NetworkPolicyPortArgs(port=port, protocol="TCP")
