"""Rules about Slurm on Kubernetes."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.rule import ResourceRule, StackRule
from gpu_cluster_policies.slurm.cluster import (
    SLURM_WITHOUT_ACCOUNTING,
    SLURM_WITHOUT_CGROUP_CONSTRAINTS,
)
from gpu_cluster_policies.slurm.gres import SLURM_GRES_DIFFERS_FROM_POOL
from gpu_cluster_policies.slurm.partitions import SLURM_PARTITION_WITHOUT_TIMES

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    SLURM_WITHOUT_CGROUP_CONSTRAINTS,
    SLURM_WITHOUT_ACCOUNTING,
    SLURM_PARTITION_WITHOUT_TIMES,
    SLURM_GRES_DIFFERS_FROM_POOL,
)
