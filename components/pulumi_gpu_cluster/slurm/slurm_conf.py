"""What we add to the slurm.conf that the operator writes, and the files that lie beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.slurm.args import PartitionArgs
from pulumi_gpu_cluster.slurm.gres import tres
from pulumi_gpu_cluster.slurm.names import ACCOUNTING_HOST, CONTROLLER_HOST
from pulumi_gpu_cluster.slurm.node_size import slurm_memory

_MIB: Final = 2**20
# source: SlinkyProject/slurm-operator v1.2.1 internal/builder/controllerbuilder: MaxNodeCount
_MOST_NODES: Final = 1024

# Limits hold only with `limits`; `safe` starts no job that its group's minutes could not end.
_SETTINGS: Final = (
    ("AccountingStorageEnforce", "associations,limits,qos,safe"),
    ("JobAcctGatherType", "jobacct_gather/cgroup"),
    ("ProctrackType", "proctrack/cgroup"),
    ("TaskPlugin", "task/cgroup,task/affinity"),
    ("PrologFlags", "Contain"),
    ("SelectType", "select/cons_tres"),
    ("SelectTypeParameters", "CR_Core_Memory"),
    ("ReturnToService", "2"),
    ("PriorityType", "priority/multifactor"),
    ("PriorityWeightFairshare", "100000"),
    ("PriorityWeightQOS", "10000"),
    ("PriorityWeightAge", "1000"),
    ("PriorityWeightJobSize", "1000"),
    ("PreemptType", "preempt/qos"),
    ("PreemptMode", "REQUEUE"),
)

CGROUP_CONF: Final = """\
CgroupPlugin=cgroup/v2
IgnoreSystemd=yes
ConstrainCores=yes
ConstrainDevices=yes
ConstrainRAMSpace=yes
"""
"""Without these lines a job sees every GPU of its node; the operator's own file has none."""


def controller_settings(
    partitions: Sequence[PartitionArgs],
    pools: Iterable[NodePoolArgs],
    accounts: Mapping[str, Sequence[str]],
) -> str:
    """Our part of slurm.conf, which stands below the operator's and wins where both speak.

    Args:
        partitions: The partitions.
        pools: The pools that Slurm schedules.
        accounts: Names of the accounts that may use a pool, by the pool's name.
    """
    by_name = {pool.name: pool for pool in pools}
    counted = tres(by_name.values())
    lines = [f"{key}={value}" for key, value in _SETTINGS]
    if counted:
        lines += ["GresTypes=gpu", f"AccountingStorageTRES={','.join(counted)}"]
    nodes = sum(pool.largest for pool in by_name.values())
    if nodes > _MOST_NODES:
        lines.append(f"MaxNodeCount={nodes}")
    default = next((one for one in partitions if one.default), partitions[0])
    lines += [
        _partition(one, [by_name[name] for name in one.pools], accounts, default=one is default)
        for one in partitions
    ]
    return "\n".join(lines) + "\n"


def files(pools: Iterable[NodePoolArgs]) -> dict[str, str]:
    """Files that lie beside slurm.conf, by name."""
    found = {"cgroup.conf": CGROUP_CONF}
    if any(pool.gpu is not None for pool in pools):
        # The images have no NVML, and this finder needs none.
        found["gres.conf"] = "AutoDetect=nvidia\n"
    return found


def client_settings(cluster_name: str) -> str:
    """A slurm.conf for a program that speaks to the accounting database and to nothing else."""
    return (
        f"ClusterName={cluster_name}\n"
        f"SlurmctldHost={CONTROLLER_HOST}\n"
        "AuthType=auth/slurm\n"
        "AuthAltTypes=auth/jwt\n"
        "AccountingStorageType=accounting_storage/slurmdbd\n"
        f"AccountingStorageHost={ACCOUNTING_HOST}\n"
    )


def _partition(
    partition: PartitionArgs,
    pools: Sequence[NodePoolArgs],
    accounts: Mapping[str, Sequence[str]],
    *,
    default: bool,
) -> str:
    """The partition's line; nodes are named by the NodeSets, which have their pools' names."""
    memory = min(slurm_memory(pool) // _MIB // pool.cpus for pool in pools)
    allowed = dict.fromkeys(name for pool in pools for name in accounts.get(pool.name, ()))
    settings = {
        "PartitionName": partition.name,
        "Nodes": ",".join(pool.name for pool in pools),
        "Default": "YES" if default else "NO",
        "MaxTime": partition.max_time,
        "DefaultTime": partition.default_time,
        "DefMemPerCPU": str(max(memory, 1)),
        # The account root is Slurm's own, with nobody but root in it.
        "AllowAccounts": ",".join(["root", *allowed]),
        "State": "UP",
    }
    return " ".join(f"{key}={value}" for key, value in settings.items())
