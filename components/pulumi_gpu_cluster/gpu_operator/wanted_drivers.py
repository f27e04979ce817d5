"""What node work is told of a pool's drivers.

It is apart from node work itself, whose commands start for every node and must not wait for the
site file's models.
"""

from __future__ import annotations

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec


def driver_spec(pool: NodePoolArgs, namespace: str) -> DriverSpec | None:
    """What a pool's site file asks for; None where its drivers do not come in waves.

    In waves go the nodes that the site names and Kubernetes schedules. Nodes found by a selector
    are never touched, and to Slurm an upgrade is a loss of jobs. Which release a precompiled
    driver is, nobody says beforehand, so that no node could be seen to run the right one.
    """
    driver = pool.driver
    if pool.gpu is None or driver is None or driver.source != "operator" or not pool.node_names:
        return None
    if pool.workload != "kubernetes" or driver.pinned is None:
        return None
    upgrade = driver.upgrade or UpgradeArgs()
    return DriverSpec(
        pool=pool.name,
        version=driver.pinned,
        canary=upgrade.canaries or pool.node_names[:1],
        wave=upgrade.wave,
        # Nodes that are cut differently are only held against what they offered before.
        devices=dict(devices_per_node(pool)) if len(parts_of(pool)) == 1 else {},
        namespace=namespace,
    )
