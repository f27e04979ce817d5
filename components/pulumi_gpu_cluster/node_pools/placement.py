"""How others find a pool's nodes: by which labels, past which taints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs, TaintArgs
from pulumi_gpu_cluster.node_pools.props import POOL_LABEL, UNVERIFIED_TOLERATION, WORKLOAD_KEY

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, daemonsets.tolerations
GPU_TOLERATION: Final[Mapping[str, str]] = MappingProxyType(
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
)
"""Toleration of the taint that GPU nodes customarily carry."""


def selector(pool: NodePoolArgs) -> Mapping[str, str]:
    """Labels that the pool's nodes carry and no other pool's nodes do."""
    return pool.selector if pool.selector is not None else MappingProxyType({POOL_LABEL: pool.name})


def taints(pool: NodePoolArgs) -> tuple[TaintArgs, ...]:
    """Every taint of the pool: those of the site file, and ours on a pool that Slurm schedules.

    Slurm gives out CPUs and memory that the scheduler of Kubernetes believes to be free.
    """
    if pool.workload == "kubernetes":
        return pool.taints
    return (*pool.taints, TaintArgs(key=WORKLOAD_KEY, value=pool.workload))


def taint_specs(pool: NodePoolArgs) -> list[dict[str, str]]:
    """The pool's taints as Kubernetes writes them."""
    return [
        {"key": taint.key, "effect": taint.effect} | ({"value": taint.value} if taint.value else {})
        for taint in taints(pool)
    ]


def tolerations(pool: NodePoolArgs) -> list[dict[str, str]]:
    """Exactly what a pod needs to run on the pool."""
    return [_toleration(taint) for taint in taints(pool)]


def agent_tolerations(pools: Iterable[NodePoolArgs]) -> list[dict[str, str]]:
    """What an agent needs that must run on every node of these pools, without repetition.

    The customary GPU taint is always among them: nodes carry it that no site file speaks of. So
    is the one of nodes that are not verified yet: without its agents no node ever would be.
    """
    wanted = [dict(GPU_TOLERATION), dict(UNVERIFIED_TOLERATION)]
    for pool in pools:
        for taint, toleration in zip(taints(pool), tolerations(pool), strict=True):
            covered = (taint.key, taint.effect) == (GPU_TOLERATION["key"], GPU_TOLERATION["effect"])
            if not covered and toleration not in wanted:
                wanted.append(toleration)
    return wanted


def _toleration(taint: TaintArgs) -> dict[str, str]:
    if taint.value:
        return {
            "key": taint.key,
            "operator": "Equal",
            "value": taint.value,
            "effect": taint.effect,
        }
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
