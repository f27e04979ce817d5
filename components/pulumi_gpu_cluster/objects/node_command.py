"""Work on one node, as a resource of the stack: `gpu-cluster node ...`, run where Pulumi runs.

Creating and updating are one idempotent command. The text names no path, which a colleague's next
run would show as a change, and nothing triggers a replacement, which would undo the work on a node
in use. The kubeconfig comes on standard input: neither a command line nor an environment keeps a
secret.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import pulumi
from pulumi_command import local
from pulumi_kubernetes.core.v1 import NodePatch
from pulumi_kubernetes.meta.v1.outputs import ObjectMetaPatch

from pulumi_gpu_cluster.control_plane.access import ClusterAccess


def node_command(
    name: str,
    work: str,
    *,
    access: ClusterAccess,
    environment: Mapping[str, pulumi.Input[str]],
    undo: str | None = None,
    opts: pulumi.ResourceOptions,
) -> local.Command:
    """Makes the resource.

    Args:
        name: Name of the resource.
        work: What comes after `gpu-cluster node`.
        access: How the command reaches the cluster.
        environment: What it is told; a change of it makes the command run again.
        undo: What is added to the command to undo the work; None where nothing is to be undone.
        opts: Options of the resource.
    """
    command = f"gpu-cluster node {work}"
    if access.context:
        command += f" --context {shlex.quote(access.context)}"
    told = dict(environment)
    if access.kubeconfig is not None:
        told["GPU_CLUSTER_KUBECONFIG"] = "-"
    elif access.kubeconfig_file is not None:
        told["KUBECONFIG"] = access.kubeconfig_file
    return local.Command(
        name,
        create=command,
        update=command,
        delete=f"{command} {undo}" if undo is not None else None,
        environment=told,
        stdin=access.kubeconfig,
        add_previous_output_in_env=False,
        opts=opts,
    )


def uid_of(labelled: NodePatch) -> pulumi.Output[str]:
    """The uid of a node that we label. One that was made anew has another."""
    return labelled.metadata.apply(_uid)


def _uid(metadata: ObjectMetaPatch | None) -> str:
    return (metadata.uid if metadata is not None else None) or ""
