"""Node work around the operator: before it gets another MIG strategy, before and after a driver."""

from __future__ import annotations

import pulumi
from pulumi_command import local

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.objects.node_command import node_command
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec


def checked_strategy(
    name: str, pool: str, strategy: str, access: ClusterAccess, opts: pulumi.ResourceOptions
) -> local.Command:
    """Stops a run that would bring a MIG strategy to nodes of a pool that cannot take it."""
    work = f"mig-strategy {pool} {strategy}"
    return node_command(name, work, access=access, environment={}, opts=opts)


def held_drivers(
    name: str, spec: DriverSpec, access: ClusterAccess, opts: pulumi.ResourceOptions
) -> local.Command:
    """Holds the pool's nodes at their driver, if another one is wanted.

    The command finds them by their label, so a node that comes or goes does not change it.
    """
    return node_command(
        name,
        f"hold-drivers {spec.pool}",
        access=access,
        environment={"GPU_CLUSTER_DRIVER": spec.text()},
        undo="--remove",
        opts=opts,
    )


def drivers_in_waves(
    name: str,
    spec: DriverSpec,
    access: ClusterAccess,
    *,
    wait: str,
    attempt: int,
    opts: pulumi.ResourceOptions,
) -> pulumi.Output[str]:
    """Leads the pool's nodes to the wanted driver.

    Args:
        name: Name of the resource.
        spec: What is wanted.
        access: How the command reaches the cluster.
        wait: The longest that a run waits.
        attempt: How often it has come to no end before.
        opts: Options of the resource.

    Returns:
        What the command says of the pool, as JSON.
    """
    command = node_command(
        name,
        f"drivers {spec.pool} --json --wait {wait}",
        access=access,
        environment={
            "GPU_CLUSTER_DRIVER": spec.text(),
            "GPU_CLUSTER_DRIVER_ATTEMPT": str(attempt),
        },
        opts=opts,
    )
    # The kubeconfig among its inputs would make a secret of all that it says.
    return pulumi.Output.unsecret(command.stdout)
