"""How much of a node Slurm has, and what the pod that brings slurmd asks Kubernetes for."""

from __future__ import annotations

from typing import Any, Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU
from pulumi_gpu_cluster.quantity import text_of, value

_GIB: Final = 2**30
_LEAST_FOR_AGENTS: Final = 8 * _GIB
_AGENTS: Final = 20  # a twentieth
_CPUS_FOR_AGENTS: Final = 4


def slurm_memory(pool: NodePoolArgs) -> int:
    """Memory of each node that jobs can have, in bytes.

    A twentieth, and 8Gi at least, is left to the agents of the node, up to half of a small one.
    Whole Gi where there are some.
    """
    memory = int(value(pool.memory))
    left = memory - min(max(memory // _AGENTS, _LEAST_FOR_AGENTS), memory // 2)
    return left // _GIB * _GIB or left


def slurmd_resources(pool: NodePoolArgs, more: dict[str, str]) -> dict[str, Any]:
    """Requests and limits of slurmd's container: the whole node.

    The operator tells Slurm its limits as the node's size. Memory is asked for in full, so that
    the kubelet takes none of it for others when memory is short; of the CPUs some are left to
    the requests of the node's agents, and slurmd may use those too.

    Args:
        pool: The pool.
        more: Further extended resources with their number.
    """
    memory = text_of(value(str(slurm_memory(pool))), binary=True)
    whole = dict(more)
    if pool.gpu is not None:
        whole[WHOLE_GPU] = str(pool.gpu.count)
    asked = max(pool.cpus - _CPUS_FOR_AGENTS, pool.cpus // 2, 1)
    return {
        "requests": {"cpu": str(asked), "memory": memory, **whole},
        "limits": {"cpu": str(pool.cpus), "memory": memory, **whole},
    }
