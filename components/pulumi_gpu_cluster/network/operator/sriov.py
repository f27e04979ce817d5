"""RoCE by SR-IOV: each port of a pool's nodes as several, one for each pod."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.network.operator.addresses import ipam
from pulumi_gpu_cluster.network.operator.node_policy import NVIDIA_NICS
from pulumi_gpu_cluster.network.resources import FabricPool
from pulumi_gpu_cluster.node_pools.placement import selector

_API: Final = "sriovnetwork.openshift.io/v1"


def sriov_budget(
    name: str, fabric: FabricPool, namespace: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """How many of the pool's nodes may be drained at once to split their ports: one.

    Args:
        name: Name of the resource.
        fabric: A pool with a RoCE fabric.
        namespace: Namespace of the operator, the only one that it looks in.
        opts: Options of the resource.
    """
    return CustomResource(
        name,
        api_version=_API,
        kind="SriovNetworkPoolConfig",
        metadata={"name": fabric.pool.name, "namespace": namespace},
        spec={
            "nodeSelector": {"matchLabels": dict(selector(fabric.pool))},
            "maxUnavailable": 1,
        },
        opts=opts,
    )


def virtual_functions(
    name: str, fabric: FabricPool, namespace: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """How the pool's ports are split, and what the parts are called as a resource.

    Args:
        name: Name of the resource.
        fabric: A pool with a RoCE fabric.
        namespace: Namespace of the operator.
        opts: Options of the resource, after the budget.
    """
    return CustomResource(
        name,
        api_version=_API,
        kind="SriovNetworkNodePolicy",
        metadata={"name": fabric.pool.name, "namespace": namespace},
        spec={
            # The chart's prefix, nvidia.com, comes before it.
            "resourceName": fabric.plugin_name,
            "nodeSelector": dict(selector(fabric.pool)),
            "nicSelector": {"vendor": NVIDIA_NICS, "pfNames": list(fabric.args.interfaces)},
            "numVfs": fabric.args.vfs,
            "deviceType": "netdevice",
            "isRdma": True,
        },
        opts=opts,
    )


def sriov_network(
    name: str, fabric: FabricPool, namespace: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The network by which a pod gets one of the parts, with an address on the fabric.

    Args:
        name: Name of the resource.
        fabric: A pool with a RoCE fabric and its addresses.
        namespace: Where the network is defined: one in which tenants change nothing.
        opts: Options of the resource.
    """
    return CustomResource(
        name,
        api_version=_API,
        kind="SriovNetwork",
        metadata={"name": fabric.pool.name, "namespace": namespace},
        spec={
            "resourceName": fabric.plugin_name,
            "networkNamespace": namespace,
            "ipam": ipam(fabric),
        },
        opts=opts,
    )
