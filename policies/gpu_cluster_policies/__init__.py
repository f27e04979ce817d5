"""Policies that judge any stack, whoever wrote its resources.

Each rule lives in a module of its own, is pure, and stands in `RULES`. Somebody else's pack may
take some of them: `policy_of(RULES[0])` is a policy of pulumi_policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gpu_cluster_policies.mig_layout_does_not_fit import MIG_LAYOUT_DOES_NOT_FIT
from gpu_cluster_policies.node_mig_layout_does_not_fit import NODE_MIG_LAYOUT_DOES_NOT_FIT
from gpu_cluster_policies.tenant_namespace_without_gpu_quota import (
    TENANT_NAMESPACE_WITHOUT_GPU_QUOTA,
)

if TYPE_CHECKING:
    from gpu_cluster_policies.rule import ResourceRule, StackRule

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    TENANT_NAMESPACE_WITHOUT_GPU_QUOTA,
    MIG_LAYOUT_DOES_NOT_FIT,
    NODE_MIG_LAYOUT_DOES_NOT_FIT,
)
"""Every rule of the pack."""
