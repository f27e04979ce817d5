"""Rules about storage: Ceph, and classes of data."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.rule import ResourceRule, StackRule
from gpu_cluster_policies.storage.ceph import (
    CEPH_MON_COUNT,
    CEPH_MONS_ON_ONE_HOST,
    CEPH_POOL_SIZE_ONE,
    CEPH_USES_ALL_DEVICES,
)
from gpu_cluster_policies.storage.classes import DATA_CLASS_DELETES

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    CEPH_MON_COUNT,
    CEPH_MONS_ON_ONE_HOST,
    CEPH_USES_ALL_DEVICES,
    CEPH_POOL_SIZE_ONE,
    DATA_CLASS_DELETES,
)
