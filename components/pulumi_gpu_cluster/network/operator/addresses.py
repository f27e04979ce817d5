"""Addresses for pods on a fabric, in blocks that each node hands out by itself."""

from __future__ import annotations

import json

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.network.resources import FabricPool
from pulumi_gpu_cluster.node_pools.placement import selector


def ip_pool(
    name: str, fabric: FabricPool, namespace: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The pool's addresses: for each node a block as large as the pods that can use one.

    Args:
        name: Name of the resource.
        fabric: A pool with `fabric.addresses`.
        namespace: Namespace of the Network Operator, the only one that is looked in.
        opts: Options of the resource.
    """
    nodes = [
        {"key": key, "operator": "In", "values": [value]}
        for key, value in selector(fabric.pool).items()
    ]
    return CustomResource(
        name,
        api_version="nv-ipam.nvidia.com/v1alpha1",
        kind="IPPool",
        metadata={"name": fabric.pool.name, "namespace": namespace},
        spec={
            "subnet": fabric.args.addresses,
            "perNodeBlockSize": fabric.per_node,
            "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": nodes}]},
        },
        opts=opts,
    )


def ipoib_network(
    name: str, fabric: FabricPool, namespace: str, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The network by which a pod of an InfiniBand pool gets an IP address on the fabric.

    Args:
        name: Name of the resource.
        fabric: A pool with `fabric.addresses` and `fabric.interfaces`.
        namespace: Where the network is defined: one in which tenants change nothing.
        opts: Options of the resource.
    """
    return CustomResource(
        name,
        api_version="mellanox.com/v1alpha1",
        kind="IPoIBNetwork",
        metadata={"name": fabric.pool.name},
        spec={
            "networkNamespace": namespace,
            "master": fabric.args.interfaces[0],
            "ipam": ipam(fabric),
        },
        opts=opts,
    )


def ipam(fabric: FabricPool) -> str:
    """The part of a network's CNI configuration that says where addresses come from."""
    return json.dumps({"type": "nv-ipam", "poolName": fabric.pool.name})
