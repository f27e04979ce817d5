"""Parts of NetworkPolicies that several concerns share: who pods are, and whom they may ask."""

from __future__ import annotations

from typing import Final

from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, LabelSelectorRequirementArgs
from pulumi_kubernetes.networking.v1 import IPBlockArgs, NetworkPolicyPeerArgs

EVERY_POD: Final = LabelSelectorArgs()
"""Every pod; beside nothing else, those of the policy's own namespace."""

# source: kubernetes/kubernetes cluster/addons/dns/nodelocaldns, its link-local address
_NODE_LOCAL_DNS: Final = "169.254.20.10/32"
# Clouds and machines answer at link-local addresses with keys and start-up data to whoever asks
# from the node; Amazon's has an address of IPv6 beside.
_LINK_LOCAL: Final = "169.254.0.0/16"
_LINK_LOCAL_6: Final = "fe80::/10"
_METADATA_6: Final = "fd00:ec2::254/128"


def apps(*names: str) -> LabelSelectorArgs:
    """Pods by the name of what runs in them, as charts and operators label them."""
    return LabelSelectorArgs(
        match_expressions=[
            LabelSelectorRequirementArgs(
                key="app.kubernetes.io/name", operator="In", values=list(names)
            )
        ]
    )


def pods_of(namespace: str, labels: dict[str, str]) -> NetworkPolicyPeerArgs:
    """Pods of another namespace with these labels."""
    return NetworkPolicyPeerArgs(
        namespace_selector=LabelSelectorArgs(
            match_labels={"kubernetes.io/metadata.name": namespace}
        ),
        pod_selector=LabelSelectorArgs(match_labels=labels),
    )


def dns() -> list[NetworkPolicyPeerArgs]:
    """The cluster's DNS, and the cache of it that may be on each node."""
    return [pods_of("kube-system", {"k8s-app": "kube-dns"}), node_local_dns()]


def node_local_dns() -> NetworkPolicyPeerArgs:
    """The cache of DNS that may be on each node."""
    return NetworkPolicyPeerArgs(ip_block=IPBlockArgs(cidr=_NODE_LOCAL_DNS))


def everywhere_but_metadata() -> list[NetworkPolicyPeerArgs]:
    """Every pod and every address, but for those at which a node's cloud tells secrets.

    Pods are named beside the addresses, for Cilium counts none of its pods among those.
    """
    return [
        NetworkPolicyPeerArgs(namespace_selector=LabelSelectorArgs()),
        NetworkPolicyPeerArgs(ip_block=IPBlockArgs(cidr="0.0.0.0/0", except_=[_LINK_LOCAL])),
        NetworkPolicyPeerArgs(
            ip_block=IPBlockArgs(cidr="::/0", except_=[_LINK_LOCAL_6, _METADATA_6])
        ),
    ]
