"""What is made for each single node: its labels and its taints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_command import local
from pulumi_kubernetes.core.v1 import NodePatch
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgs

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.objects.node_command import node_command, uid_of

FIELD_MANAGER: Final = "gpu-cluster-node-pool"
"""Name under which the API server knows these labels as ours, whatever state we come from."""


def labelled_node(
    name: str, node: str, labels: Mapping[str, str], opts: pulumi.ResourceOptions
) -> NodePatch:
    """Our labels on one node.

    The labels are the site file's to decide, so a value that somebody else wrote gives way:
    the GPU Operator, for one, writes a default MIG layout wherever it meets none.
    """
    return NodePatch(
        name,
        metadata=ObjectMetaPatchArgs(
            name=node,
            labels=dict(labels),
            annotations={
                "pulumi.com/patchForce": "true",
                "pulumi.com/patchFieldManager": FIELD_MANAGER,
            },
        ),
        opts=opts,
    )


def tainted_node(
    name: str,
    node: str,
    *,
    labelled: NodePatch,
    taints: Sequence[Mapping[str, str]],
    access: ClusterAccess,
    opts: pulumi.ResourceOptions,
) -> local.Command:
    """Our taints on one node, written beside those of others.

    Never by apply: a node's taints are one list, and applying it wipes what others wrote.
    Deleting takes only our taints away.

    Args:
        name: Name of the resource.
        node: Name of the node.
        labelled: The same node with our labels, by which we learn that it was made anew.
        taints: What it is to carry.
        access: How the command reaches the cluster.
        opts: Options of the resource.
    """
    return node_command(
        name,
        f"taints {node}",
        access=access,
        environment={
            "GPU_CLUSTER_TAINTS": json.dumps(list(taints), sort_keys=True),
            # A node that was made anew has no taints yet: its uid makes the command run again.
            "GPU_CLUSTER_NODE_UID": uid_of(labelled),
        },
        undo="--remove",
        opts=opts,
    )


def held_node(
    name: str, node: str, *, access: ClusterAccess, opts: pulumi.ResourceOptions
) -> local.Command:
    """Keeps a new node from work until the gate has passed it.

    It is told nothing of the site, so that it never runs a second time: whether a node is new
    can be seen only before we label it.

    Args:
        name: Name of the resource.
        node: Name of the node.
        access: How the command reaches the cluster.
        opts: Options of the resource.
    """
    return node_command(
        name, f"hold {node}", access=access, environment={}, undo="--remove", opts=opts
    )
