"""Rules about how GPUs are cut and shared: MIG, time-slicing, MPS."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.rule import ResourceRule, StackRule
from gpu_cluster_policies.sharing.layout_names import MIG_LAYOUT_NOT_IN_CONFIG_MAP
from gpu_cluster_policies.sharing.node_layout import NODE_MIG_LAYOUT_DOES_NOT_FIT
from gpu_cluster_policies.sharing.pool_layout import MIG_LAYOUT_DOES_NOT_FIT
from gpu_cluster_policies.sharing.strategy import MIG_SINGLE_WITH_MIXED_LAYOUT, MPS_ON_MIG
from gpu_cluster_policies.sharing.time_slices import TIME_SLICES_NAMED_LIKE_GPUS

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    MIG_LAYOUT_DOES_NOT_FIT,
    NODE_MIG_LAYOUT_DOES_NOT_FIT,
    MIG_LAYOUT_NOT_IN_CONFIG_MAP,
    MIG_SINGLE_WITH_MIXED_LAYOUT,
    MPS_ON_MIG,
    TIME_SLICES_NAMED_LIKE_GPUS,
)
