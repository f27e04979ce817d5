"""Storage classes of data must not delete volumes with their claims."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.reading import at, entries, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.storage.ceph import CLUSTER_CHART

_CLASS: Final = "storage.k8s.io/StorageClass"
_DATA: Final = ("*rbd.csi.ceph.com", "*cephfs.csi.ceph.com", "*nfs.csi.ceph.com", "beegfs.csi.*")
_KEEP: Final = "Retain"
_CHART_POOLS: Final = ("cephBlockPools", "cephFileSystems", "cephObjectStores")
_SCRATCH: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Storage classes, by patterns, whose data may go with the claim.",
    "items": {"type": "string"},
}


def judge(resource: Resource, config: Config) -> Iterator[Verdict]:
    """Finds classes on shared storage whose volumes go with their claims."""
    for name, policy in _classes(resource):
        scratch = config.get("scratchClasses", ())
        if policy != _KEEP and not any(fnmatch.fnmatchcase(name, one) for one in scratch):
            said = policy or "unset, and so Delete"
            yield Fault(resource, f"reclaimPolicy of the class {name} is {said}")


def _classes(resource: Resource) -> Iterator[tuple[str, str]]:
    if resource.sort == _CLASS:
        provisioner = string(resource.props, "provisioner")
        if any(fnmatch.fnmatchcase(provisioner, one) for one in _DATA):
            name = string(resource.props, "metadata", "name") or resource.name
            yield name, string(resource.props, "reclaimPolicy")
    elif is_chart(resource, CLUSTER_CHART):
        for key in _CHART_POOLS:
            for pool in entries(values_of(resource), key):
                if at(pool, "storageClass", "enabled") is True:
                    name = string(pool, "storageClass", "name")
                    yield name, string(pool, "storageClass", "reclaimPolicy")


DATA_CLASS_DELETES: Final = ResourceRule(
    id="data-class-deletes",
    description="Volumes of shared storage outlive their claims, but for scratch.",
    why="With Delete a claim that goes, with its namespace or by mistake, takes its data along.",
    mend="set reclaimPolicy: Retain, or name the class in scratchClasses",
    severity=Severity.HIGH,
    tags=("storage", "data"),
    reads={
        _CLASS: ("metadata", "provisioner", "reclaimPolicy"),
        **VALUES,
    },
    judge=judge,
    settings={"scratchClasses": dict(_SCRATCH)},
)
