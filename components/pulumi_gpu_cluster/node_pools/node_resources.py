"""What is made for each single node: its labels and its taints."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_command import local
from pulumi_kubernetes.core.v1 import NodePatch
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgs
from pulumi_kubernetes.meta.v1.outputs import ObjectMetaPatch

from pulumi_gpu_cluster.control_plane.access import ClusterAccess

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
    Creating and updating are one idempotent command; deleting takes only our taints away. The
    text names no path, and nothing triggers a replacement, which would take the taints off a
    node in use.

    Args:
        name: Name of the resource.
        node: Name of the node.
        labelled: The same node with our labels, by which we learn that it was made anew.
        taints: What it is to carry.
        access: How the command reaches the cluster.
        opts: Options of the resource.
    """
    command = f"gpu-cluster node taints {node}"
    if access.context:
        command += f" --context {shlex.quote(access.context)}"
    environment: dict[str, pulumi.Input[str]] = {
        "GPU_CLUSTER_TAINTS": json.dumps(list(taints), sort_keys=True),
        # A node that was made anew has no taints yet: its uid makes the command run again.
        "GPU_CLUSTER_NODE_UID": labelled.metadata.apply(_uid),
    }
    if access.kubeconfig is not None:
        environment["GPU_CLUSTER_KUBECONFIG"] = "-"
    elif access.kubeconfig_file is not None:
        environment["KUBECONFIG"] = access.kubeconfig_file
    return local.Command(
        name,
        create=command,
        update=command,
        delete=f"{command} --remove",
        environment=environment,
        stdin=access.kubeconfig,
        add_previous_output_in_env=False,
        opts=opts,
    )


def _uid(metadata: ObjectMetaPatch | None) -> str:
    return (metadata.uid if metadata is not None else None) or ""
