"""Ceph that survives the loss of a disk and of a host, and takes no disk that is somebody's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.reading import Fields, amount, at, fields, number, walk
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict

CLUSTER: Final = "ceph.rook.io/CephCluster"
CLUSTER_CHART: Final = "rook-ceph-cluster"
_POOLS: Final = (
    "ceph.rook.io/CephBlockPool",
    "ceph.rook.io/CephFilesystem",
    "ceph.rook.io/CephObjectStore",
)
_READS: Final = {CLUSTER: ("metadata", "spec"), **VALUES}
_FEWEST_MONS: Final = 3


def _clusters(resource: Resource) -> Iterator[tuple[str, Fields]]:
    if resource.sort == CLUSTER:
        yield "spec", fields(resource.props, "spec")
    elif is_chart(resource, CLUSTER_CHART):
        yield "values.cephClusterSpec", fields(values_of(resource), "cephClusterSpec")


def _mons(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, spec in _clusters(resource):
        count = number(spec, "mon", "count")
        if count is not None and (count < _FEWEST_MONS or count % 2 == 0):
            yield Fault(resource, f"{path}.mon.count is {count}")


CEPH_MON_COUNT: Final = ResourceRule(
    id="ceph-mon-count",
    description="Ceph has three or more monitors, in an odd number.",
    why="With one, its loss is the cluster's; an even number stops sooner than one less would.",
    mend="set mon.count to 3, or 5 where there are hosts for it",
    severity=Severity.HIGH,
    tags=("storage", "ceph"),
    reads=_READS,
    judge=_mons,
)


def _together(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, spec in _clusters(resource):
        if at(spec, "mon", "allowMultiplePerNode") is True:
            yield Fault(resource, f"{path}.mon.allowMultiplePerNode lets monitors share a host")


CEPH_MONS_ON_ONE_HOST: Final = ResourceRule(
    id="ceph-mons-on-one-host",
    description="No two monitors of Ceph are on one host.",
    why="The host that two of three are on takes the whole storage with it.",
    mend="set mon.allowMultiplePerNode: false",
    severity=Severity.HIGH,
    tags=("storage", "ceph"),
    reads=_READS,
    judge=_together,
)


def _greedy(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, spec in _clusters(resource):
        # The chart's own values take all devices unless told not to.
        chart = resource.sort != CLUSTER
        value = at(spec, "storage", "useAllDevices")
        if value is True or (chart and value is None):
            left = " is left to the chart, and so true" if value is None else " is true"
            yield Fault(resource, f"{path}.storage.useAllDevices{left}")


CEPH_USES_ALL_DEVICES: Final = ResourceRule(
    id="ceph-uses-all-devices",
    description="Ceph takes only disks that are named.",
    why="It takes every empty disk it finds, the GPU nodes' scratch disks too, and the next disk "
    "somebody puts in.",
    mend="set storage.useAllDevices: false and name devices by /dev/disk/by-id",
    severity=Severity.HIGH,
    tags=("storage", "ceph"),
    reads=_READS,
    judge=_greedy,
)


def _single(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    top = "spec" if resource.sort in _POOLS else "values"
    if top == "values" and not is_chart(resource, CLUSTER_CHART):
        return
    for path, key, found in walk(fields(resource.props, top), top):
        if key == "replicated" and isinstance(found, Mapping):
            size = amount(cast("Fields", found).get("size"))
            if size is not None and size < 2:  # noqa: PLR2004 - one copy is none
                yield Fault(resource, f"{path}.size is {size}")


CEPH_POOL_SIZE_ONE: Final = ResourceRule(
    id="ceph-pool-size-one",
    description="Ceph keeps more than one copy.",
    why="With one copy the first disk that fails takes data of everybody with it.",
    mend="set replicated.size to 3",
    severity=Severity.CRITICAL,
    tags=("storage", "ceph"),
    reads={**dict.fromkeys(_POOLS, ("metadata", "spec")), **VALUES},
    judge=_single,
)
