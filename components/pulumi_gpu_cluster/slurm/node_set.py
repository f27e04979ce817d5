"""NodeSet: slurmd on every node of a pool."""

from __future__ import annotations

from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog.versions import SLURM_LOG_IMAGE, SLURMD_IMAGE
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import (
    GPU_TOLERATION,
    selector,
    taint_specs,
    tolerations,
)
from pulumi_gpu_cluster.slurm.gres import gres, node_settings
from pulumi_gpu_cluster.slurm.names import CLUSTER
from pulumi_gpu_cluster.slurm.node_size import slurmd_resources
from pulumi_gpu_cluster.slurm.objects import slinky_object

_SHARED_MEMORY: Final = "shared-memory"


def node_set_spec(pool: NodePoolArgs, devices: dict[str, str]) -> dict[str, Any]:
    """The object's spec.

    One pod on each node of the pool, which takes the whole node: it is privileged and sees every
    GPU, so two of them would give out the same ones.

    Args:
        pool: A pool that Slurm schedules.
        devices: Further extended resources of each node, such as those of the network.
    """
    spec: dict[str, Any] = {
        "controllerRef": {"name": CLUSTER},
        "scalingMode": "DaemonSet",
        # Pods that run jobs are not evicted; draining goes by Slurm's own state.
        "workloadDisruptionProtection": True,
        "slurmd": {
            "image": SLURMD_IMAGE,
            "resources": slurmd_resources(pool, devices),
            "volumeMounts": [{"name": _SHARED_MEMORY, "mountPath": "/dev/shm"}],  # noqa: S108
        },
        "logfile": {"image": SLURM_LOG_IMAGE},
        "template": {
            "spec": {
                "nodeSelector": dict(selector(pool)),
                # Not of nodes that no gate has passed: jobs are work, and slurmd brings them.
                "tolerations": [*tolerations(pool), *_customary(pool)],
                # 64Mi, as containers have it by default, stops programs on several GPUs.
                "volumes": [{"name": _SHARED_MEMORY, "emptyDir": {"medium": "Memory"}}],
            }
        },
    }
    if pool.gpu is not None:
        # Otherwise a node may register without its GPUs the first time.
        spec["extraConf"] = node_settings({"Gres": gres(pool.gpu)})
    return spec


def _customary(pool: NodePoolArgs) -> list[dict[str, str]]:
    """Toleration of the taint that GPU nodes carry though no site file speaks of it."""
    own = {(taint["key"], taint["effect"]) for taint in taint_specs(pool)}
    there = (GPU_TOLERATION["key"], GPU_TOLERATION["effect"]) in own
    return [dict(GPU_TOLERATION)] if pool.gpu is not None and not there else []


def node_set(
    name: str,
    pool: NodePoolArgs,
    *,
    namespace: str,
    devices: dict[str, str],
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    """The pool's NodeSet, which has the pool's name: partitions name their nodes by it."""
    return slinky_object(
        name,
        "NodeSet",
        pool.name,
        namespace=namespace,
        spec=node_set_spec(pool, devices),
        opts=opts,
    )
