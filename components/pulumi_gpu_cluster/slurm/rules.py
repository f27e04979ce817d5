"""Design rules of Slurm: partitions over pools that it schedules, and limits that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead

if TYPE_CHECKING:
    from pulumi_gpu_cluster.slurm.args import PartitionArgs

# source: SlinkyProject/slurm-operator v1.2.1 internal/webhook/controller_webhook.go
_LONGEST_CLUSTER_NAME: Final = 40
_LEAST_BUFFER_POOL: Final = "4Gi"
# source: SchedMD/slurm slurm.conf(5): Nodes=ALL, NodeName=DEFAULT, PartitionName=DEFAULT
_SLURMS_WORDS: Final = ("all", "default")


@rule(ERROR, waivable=False)
def slurm_section_missing(case: Case) -> Iterator[Fault]:
    """A pool is Slurm's, and the site has no Slurm."""
    if case.site.slurm is None:
        for path, pool in case.each_pool():
            if pool.workload == "slurm":
                fix = f"add slurm: {{partitions: [{{name: {pool.name}, pools: [{pool.name}]}}]}}"
                yield Fault(f"{path}.workload", "is slurm, and the site has no slurm section", fix)


@rule(ERROR, waivable=False)
def slurm_without_pools(case: Case) -> Iterator[Fault]:
    """The site has Slurm, and no pool that Slurm schedules."""
    if case.site.slurm is not None and not slurm_pools(case.site.node_pools):
        fix = "write workload: slurm at its pools, or leave the section out"
        yield Fault("site.slurm", "has no pool to schedule", fix)


@rule(ERROR, waivable=False)
def partition_pool(case: Case) -> Iterator[Fault]:
    """A partition names a pool that is not there, not Slurm's, or named before."""
    ours = [pool.name for pool in slurm_pools(case.site.node_pools)]
    for path, partition in _partitions(case):
        for index, name in enumerate(partition.pools):
            where = f"{path}.pools[{index}]"
            if name not in case.pools:
                fix = instead(name, ours or list(case.pools))
                yield Fault(where, f"there is no pool {name}", fix)
            elif name not in ours:
                message = f"pool {name} is scheduled by {case.pools[name].workload.capitalize()}"
                yield Fault(where, message, "write workload: slurm at the pool, or take it out")
            elif name in partition.pools[:index]:
                yield Fault(where, f"names pool {name} twice", "name it once")


@rule(ERROR, waivable=False)
def partition_missing(case: Case) -> Iterator[Fault]:
    """A pool of Slurm's is in no partition, so that no job can reach it."""
    if case.site.slurm is None:
        return
    reached = {name for one in case.site.slurm.partitions for name in one.pools}
    for path, pool in case.each_pool():
        if pool.workload == "slurm" and pool.name not in reached:
            fix = f"add {pool.name} to the pools of a partition"
            yield Fault(path, f"pool {pool.name} is in no partition: no job reaches it", fix)


@rule(ERROR, waivable=False)
def partition_name_taken(case: Case) -> Iterator[Fault]:
    """Two partitions have one name, or one has Slurm's word for all of them."""
    first: dict[str, str] = {}
    for path, partition in _partitions(case):
        before = first.setdefault(partition.name.lower(), path)
        if before != path:
            message = f"{partition.name} is the name of {before} too"
            yield Fault(f"{path}.name", message, "give it another name")
        if partition.name.lower() in _SLURMS_WORDS:
            message = f"{partition.name} means something else in slurm.conf"
            yield Fault(f"{path}.name", message, "give it another name")


@rule(ERROR)
def partition_default_twice(case: Case) -> Iterator[Fault]:
    """Two partitions are the one that jobs go to when they name none."""
    default = [(path, one) for path, one in _partitions(case) if one.default]
    for path, _ in default[1:]:
        message = f"{default[0][1].name} is the default already, and there is one"
        yield Fault(f"{path}.default", message, "keep one of them")


@rule(ERROR)
def partition_default_time(case: Case) -> Iterator[Fault]:
    """A job that names no time would get more than the longest one may take."""
    for path, partition in _partitions(case):
        for key in ("max_time", "default_time"):
            if not _seconds(getattr(partition, key)):
                yield Fault(f"{path}.{key}", "is no time at all", "write one, or leave it out")
        if _seconds(partition.default_time) > _seconds(partition.max_time):
            message = f"{partition.default_time} is more than max_time {partition.max_time}"
            yield Fault(f"{path}.default_time", message, "write at most max_time")


@rule(ERROR, waivable=False)
def slurm_cluster_name(case: Case) -> Iterator[Fault]:
    """Slurm's name of the cluster is longer than the operator takes."""
    slurm = case.site.slurm
    if slurm is None:
        return
    name = slurm.cluster_name or case.site.name
    if len(name) > _LONGEST_CLUSTER_NAME:
        message = f"{name} has {len(name)} letters, and {_LONGEST_CLUSTER_NAME} are the most"
        yield Fault("site.slurm.cluster_name", message, "add a shorter one")


@rule(ERROR, waivable=False)
def slurm_mig(case: Case) -> Iterator[Fault]:
    """A pool of Slurm's is cut into MIG instances, which its containers cannot tell apart."""
    for path, pool in case.each_pool():
        if pool.workload == "slurm" and pool.mig is not None:
            message = "Slurm's containers find whole GPUs only, without NVML"
            yield Fault(f"{path}.mig", message, "leave mig out, or write workload: kubernetes")


@rule(ERROR, waivable=False)
def slurm_pool_name(case: Case) -> Iterator[Fault]:
    """A pool of Slurm's has a name that means all nodes, or the settings of every node."""
    for path, pool in case.each_pool():
        if pool.workload == "slurm" and pool.name in _SLURMS_WORDS:
            message = f"{pool.name} means something else in slurm.conf, which names nodes by pools"
            yield Fault(f"{path}.name", message, "give the pool another name")


@rule(WARNING)
def slurm_pool_untainted(case: Case) -> Iterator[Fault]:
    """Nothing keeps other pods off nodes of Slurm's that we do not taint ourselves."""
    for path, pool in case.each_pool():
        held = any(taint.effect != "PreferNoSchedule" for taint in pool.taints)
        if pool.workload == "slurm" and pool.selector is not None and not held:
            message = "are not ours to taint, and no taint keeps other pods off them"
            fix = "have the cloud taint them with NoSchedule, and write that taint here"
            yield Fault(f"{path}.taints", message, fix)


@rule(ERROR)
def slurm_buffer_pool(case: Case) -> Iterator[Fault]:
    """The accounting database has less memory than Slurm asks for."""
    slurm = case.site.slurm
    if slurm is not None and value(slurm.database.buffer_pool) < value(_LEAST_BUFFER_POOL):
        message = f"{slurm.database.buffer_pool}, and Slurm asks for {_LEAST_BUFFER_POOL} at least"
        fix = "leave it out: with less, conversions of an upgrade may fail"
        yield Fault("site.slurm.database.buffer_pool", message, fix)


def _partitions(case: Case) -> Iterator[tuple[str, PartitionArgs]]:
    """Each partition with its path."""
    if case.site.slurm is not None:
        for index, partition in enumerate(case.site.slurm.partitions):
            yield f"site.slurm.partitions[{index}]", partition


def _seconds(time: str) -> int:
    days, _, clock = time.rpartition("-")
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


RULES: Final[tuple[Rule, ...]] = (
    slurm_section_missing,
    slurm_without_pools,
    partition_pool,
    partition_missing,
    partition_name_taken,
    partition_default_twice,
    partition_default_time,
    slurm_cluster_name,
    slurm_mig,
    slurm_pool_name,
    slurm_pool_untainted,
    slurm_buffer_pool,
)
