"""Rules about running a cluster: backups, alerts, and what changes do."""

from __future__ import annotations

from typing import Final

from gpu_cluster_policies.operations.alerts import ALERTS_WITHOUT_ROUTE
from gpu_cluster_policies.operations.backups import DATABASE_WITHOUT_BACKUP, ETCD_WITHOUT_BACKUP
from gpu_cluster_policies.operations.changes import (
    DATA_WITHOUT_PROTECT,
    PROVIDER_WITHOUT_CLUSTER_IDENTIFIER,
    RELEASE_WITHOUT_VERSION,
)
from gpu_cluster_policies.operations.webhooks import WEBHOOK_FAILS_CLOSED_ON_SYSTEM
from gpu_cluster_policies.rule import ResourceRule, StackRule

RULES: Final[tuple[ResourceRule | StackRule, ...]] = (
    DATA_WITHOUT_PROTECT,
    DATABASE_WITHOUT_BACKUP,
    ETCD_WITHOUT_BACKUP,
    ALERTS_WITHOUT_ROUTE,
    PROVIDER_WITHOUT_CLUSTER_IDENTIFIER,
    RELEASE_WITHOUT_VERSION,
    WEBHOOK_FAILS_CLOSED_ON_SYSTEM,
)
