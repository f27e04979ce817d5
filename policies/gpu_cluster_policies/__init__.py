"""Policies that judge any stack, whoever wrote its resources.

Each rule is pure and stands in `RULES`. A pack of your own takes those it wants, and adds more:
`serve([*RULES, MY_RULE])`, from `gpu_cluster_policies.analyzer`, in its `__main__.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_policies import drivers, operations, quota, security, sharing, slurm, storage
from gpu_cluster_policies.rule import ResourceRule, StackRule

FAMILIES: Final[Mapping[str, tuple[str, tuple[ResourceRule | StackRule, ...]]]] = MappingProxyType(
    {
        "quota": ("Quota", quota.RULES),
        "sharing": ("MIG and sharing", sharing.RULES),
        "drivers": ("Drivers", drivers.RULES),
        "slurm": ("Slurm", slurm.RULES),
        "storage": ("Storage", storage.RULES),
        "security": ("Security", security.RULES),
        "operations": ("Operations", operations.RULES),
    }
)
"""Title and rules of each family; a rule's first tag names it."""

RULES: Final[tuple[ResourceRule | StackRule, ...]] = tuple(
    rule for _, rules in FAMILIES.values() for rule in rules
)
"""Every rule of the pack."""
