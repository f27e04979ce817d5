"""Alerts about Slurm's nodes: whether each came, and with all the GPUs that its pool has.

source: SchedMD/slurm 26.05 src/plugins/metrics/openmetrics (names); src/slurmctld/statistics.c
(a node's GPUs are those that it is counted with, and not those that the site file states)
"""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_gpu_cluster.monitoring.alerts.rule import Alert, Group, Recording
from pulumi_gpu_cluster.monitoring.promql import (
    NODE_POOL,
    SLURM_EXPECTED,
    SLURM_JOB,
    matchers,
)
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

_OF = matchers(SLURM_JOB)


def slurm_alerts(pools: Iterable[NodePoolArgs]) -> Group:
    """What may go wrong between a node's joining the cluster and its first job in Slurm.

    Args:
        pools: The pools that Slurm schedules.
    """
    return Group(
        "gpu-cluster-slurm",
        (
            *(_expected(pool) for pool in pools),
            _other_gpus(),
            _refused(),
            _not_there(),
            _silent(),
        ),
    )


def _expected(pool: NodePoolArgs) -> Recording:
    # The operator names a node in Slurm by the first part of its name in Kubernetes.
    node = f'label_replace({NODE_POOL}{{pool="{pool.name}"}}, "node", "$1", "node", "([^.]+).*")'
    count = pool.gpu.count if pool.gpu is not None else 0
    return Recording(SLURM_EXPECTED, f"max by (node) ({node}) * {count}", {"pool": pool.name})


def _other_gpus() -> Alert:
    counted = f"max by (node) (slurm_node_gpus{_OF})"
    return Alert(
        "SlurmGpusMissing",
        f"{counted} != on (node) max by (node) ({SLURM_EXPECTED})",
        "critical",
        "Slurm counts {{ $value }} GPUs at node {{ $labels.node }}, which is not what it has",
        "Jobs that ask for GPUs do not start there, or share them unequally. Drain the node in "
        "Slurm and delete its slurmd pod once: a node that registers anew is counted anew. Where "
        "that does not help, look for a lost GPU.",
        hold="10m",
    )


def _refused() -> Alert:
    return Alert(
        "SlurmNodesRefused",
        f"max(slurm_nodes_invalid_reg{_OF}) > 0",
        "warning",
        "Slurm has refused {{ $value }} nodes as they registered",
        "They came with fewer GPUs, CPUs or memory than their pool states, and get no jobs. "
        "sinfo -R names them and says of what there is too little.",
        hold="10m",
    )


def _not_there() -> Alert:
    known = f"max by (node) (slurm_node_cpus{_OF})"
    return Alert(
        "SlurmNodeMissing",
        f"max by (node, pool) ({SLURM_EXPECTED}) unless on (node) {known}"
        f" and on () max(slurm_nodes{_OF})",
        "warning",
        "Node {{ $labels.node }} of pool {{ $labels.pool }} is not known to Slurm",
        "It is in Kubernetes and gets no jobs. Either the gate of new nodes still holds it "
        "(gpu-cluster node status), or its slurmd pod does not start.",
        hold="30m",
    )


def _silent() -> Alert:
    return Alert(
        "SlurmStateUnknown",
        f"absent(slurm_nodes{_OF})",
        "critical",
        "Nothing is known of Slurm's state",
        "Its controller is not read, and perhaps starts no jobs either. Look at the pod of "
        "slurmctld.",
        hold="10m",
    )
