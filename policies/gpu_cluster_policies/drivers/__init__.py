"""Rules about GPU drivers: for which nodes, in which version, and how they are changed."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.drivers.conduct import (
    DRIVER_UPGRADE_WITHOUT_POD_SELECTOR,
    OPERATOR_DRIVER_ON_MANAGED_NODES,
    PEERMEM_WITHOUT_OFED,
)
from gpu_cluster_policies.drivers.selectors import (
    DRIVER_SELECTORS_OVERLAP,
    DRIVER_WITHOUT_SELECTOR,
)
from gpu_cluster_policies.drivers.versions import (
    DRIVER_BELOW_BOARD_MINIMUM,
    DRIVER_NOT_IN_CATALOGUE,
    DRIVER_PAST_END,
)
from gpu_cluster_policies.rule import ResourceRule, StackRule

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    DRIVER_SELECTORS_OVERLAP,
    DRIVER_WITHOUT_SELECTOR,
    DRIVER_NOT_IN_CATALOGUE,
    DRIVER_PAST_END,
    DRIVER_BELOW_BOARD_MINIMUM,
    OPERATOR_DRIVER_ON_MANAGED_NODES,
    DRIVER_UPGRADE_WITHOUT_POD_SELECTOR,
    PEERMEM_WITHOUT_OFED,
)
