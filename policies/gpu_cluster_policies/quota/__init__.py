"""Rules about what tenants may take: quotas, limit ranges, and the queues of both schedulers."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.quota.keys import LIMIT_RANGE_GPU_DEFAULT, QUOTA_GPU_KEY
from gpu_cluster_policies.quota.kueue import (
    KUEUE_COVERED_RESOURCES_DIFFER,
    KUEUE_GPU_NOT_COVERED,
    KUEUE_QUOTA_OVER_CAPACITY,
)
from gpu_cluster_policies.quota.tenant_ceiling import TENANT_NAMESPACE_WITHOUT_GPU_QUOTA
from gpu_cluster_policies.quota.unknown_resource import QUOTA_UNKNOWN_RESOURCE
from gpu_cluster_policies.quota.volcano import (
    QUEUE_AMOUNTS_OUT_OF_ORDER,
    QUEUE_WEIGHT_ZERO,
    VOLCANO_CAPABILITY_INCOMPLETE,
    VOLCANO_GUARANTEES_OVER_CAPACITY,
)
from gpu_cluster_policies.quota.workloads import (
    GPU_REQUEST_WITHOUT_LIMIT,
    GPU_WORKLOAD_WITHOUT_QUEUE,
)
from gpu_cluster_policies.rule import ResourceRule, StackRule

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    TENANT_NAMESPACE_WITHOUT_GPU_QUOTA,
    QUOTA_GPU_KEY,
    QUOTA_UNKNOWN_RESOURCE,
    LIMIT_RANGE_GPU_DEFAULT,
    GPU_REQUEST_WITHOUT_LIMIT,
    GPU_WORKLOAD_WITHOUT_QUEUE,
    VOLCANO_CAPABILITY_INCOMPLETE,
    VOLCANO_GUARANTEES_OVER_CAPACITY,
    QUEUE_AMOUNTS_OUT_OF_ORDER,
    QUEUE_WEIGHT_ZERO,
    KUEUE_QUOTA_OVER_CAPACITY,
    KUEUE_COVERED_RESOURCES_DIFFER,
    KUEUE_GPU_NOT_COVERED,
)
