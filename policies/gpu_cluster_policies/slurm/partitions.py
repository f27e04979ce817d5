"""Partitions need times, or backfilling cannot plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import values_of
from gpu_cluster_policies.reading import Fields, at, fields
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.slurm.files import (
    FILE_READS,
    NODE_SET,
    conf_of,
    is_slurm_chart,
    lines,
    slurm_confs,
)

_ENDLESS: Final = frozenset({"", "infinite", "unlimited", "-1"})
_DEFAULTS: Final = "default"
_TIMES: Final = (("MaxTime", "maxtime"), ("DefaultTime", "defaulttime"))
_BOTH: Final = ("config", "configMap")


def judge(resource: Resource, config: Config) -> Iterator[Verdict]:
    """Finds partitions whose jobs may run for ever, or of which nobody knows how long."""
    del config
    for name, settings in _partitions(resource):
        missing = [shown for shown, key in _TIMES if settings.get(key, "").lower() in _ENDLESS]
        if missing:
            yield Fault(resource, f"partition {name} has no {' and no '.join(missing)}")


def _partitions(resource: Resource) -> Iterator[tuple[str, Mapping[str, str]]]:
    for _, text in slurm_confs(resource):
        defaults: Mapping[str, str] = {}
        for line in lines(text):
            name = line.get("partitionname", "")
            if name.lower() == _DEFAULTS:
                defaults = {**defaults, **line}
            elif name:
                yield name, {**defaults, **line}
    if resource.sort == NODE_SET:
        spec = fields(resource.props, "spec")
        yield from _of_node_set(resource.name, fields(spec, "partition"))
    if is_slurm_chart(resource):
        values = values_of(resource)
        for name, partition in _named(values, "partitions"):
            if at(partition, "enabled") is not False:
                yield name, conf_of(partition, _BOTH)
        for name, node_set in _named(values, "nodesets"):
            yield from _of_node_set(name, fields(node_set, "partition"))


def _of_node_set(name: str, partition: Fields) -> Iterator[tuple[str, Mapping[str, str]]]:
    if at(partition, "enabled") is True:
        yield name, conf_of(partition, _BOTH)


def _named(values: Fields, key: str) -> Iterator[tuple[str, Fields]]:
    for name, found in fields(values, key).items():
        if isinstance(found, Mapping):
            yield name, cast("Fields", found)


SLURM_PARTITION_WITHOUT_TIMES: Final = ResourceRule(
    id="slurm-partition-without-times",
    description="Every partition has MaxTime and DefaultTime.",
    why="Backfilling plans with the end of jobs: where none has one, small jobs wait behind large "
    "ones, and a forgotten job keeps its GPUs.",
    mend="set both on the partition, or on PartitionName=DEFAULT above it",
    severity=Severity.MEDIUM,
    tags=("slurm",),
    reads={**FILE_READS, NODE_SET: ("metadata", "spec")},
    judge=judge,
)
