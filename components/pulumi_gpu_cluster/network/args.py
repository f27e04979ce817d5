"""The site file's section on the network inside the cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.network.subnet import Subnet
from pulumi_gpu_cluster.section import DnsLabel, Section, Text, no_truth_value, shorthand

_CNI = shorthand("kind", str, wanted="existing, cilium or calico")

# sources: RFC 791 (every host takes 576 octets), IEEE 802.3 jumbo frames as switches take them
_MTU = Annotated[int, Field(ge=576, le=9216), BeforeValidator(no_truth_value)]


class CniArgs(Section):
    """What gives pods their network and holds NetworkPolicies."""

    kind: Literal["existing", "cilium", "calico"] = "existing"
    """`existing`: the cluster brings it, as managed clouds and RKE2 do. `cilium`, `calico`: we
    install it. Not to be changed on a cluster in use: every pod would lose its network."""

    name: Text | None = None
    """With `existing`: which one it is, for example calico or flannel. Tenants are kept apart by
    NetworkPolicy, and not every CNI enforces it."""

    pod_cidr: Subnet | None = None
    """Addresses of pods, for example 10.244.0.0/16: apart from those of nodes and services. By
    default Cilium takes what Kubernetes gives each node. Calico needs it."""

    mtu: _MTU | None = None
    """Largest packet on the pods' network in bytes, without what an overlay adds. By default it
    follows the nodes' own interface."""


class NetworkArgs(Section):
    """The pods' network, and the software of the nodes' fast network adapters."""

    cni: Annotated[CniArgs, BeforeValidator(_CNI, json_schema_input_type=str | CniArgs)] = Field(
        default_factory=CniArgs
    )
    """CNI: its kind (`cilium`) or an object."""

    discovery_namespace: DnsLabel = "node-feature-discovery"
    """Namespace of Node Feature Discovery, which tells the operators what the nodes have."""

    operator_namespace: DnsLabel = "nvidia-network-operator"
    """Namespace of the NVIDIA Network Operator, which is there where a pool has a `fabric`."""
