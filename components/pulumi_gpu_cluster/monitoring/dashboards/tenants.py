"""GPU use per tenant."""

from __future__ import annotations

from typing import Final

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from pulumi_gpu_cluster.monitoring.dashboards.panels import choice, curves, frame, number
from pulumi_gpu_cluster.monitoring.promql import (
    GPU_BUSY,
    STATE_JOB,
    TENANT_BUSY,
    TENANT_HELD,
    UNATTRIBUTED,
)
from pulumi_gpu_cluster.tenancy.labels import QUOTA

_OF: Final = '{tenant=~"$tenant"}'
_LEGEND: Final = "{{tenant}} {{GPU_I_PROFILE}}"


def tenants(uid: str) -> Dashboard:
    """What each tenant holds, what it does with it, and how near it is to its ceiling."""
    board = frame(
        uid,
        "Tenants",
        "What each tenant holds of the GPUs and what it does with them. Work that no pod can be "
        f"found for is shown as {UNATTRIBUTED}.",
    )
    return (
        board.with_variable(choice("tenant", "Tenant", TENANT_BUSY))
        .with_panel(
            number("Held", "GPUs and MIG instances that pods hold.", f"sum({TENANT_HELD}{_OF})")
        )
        .with_panel(
            number("At work", "GPUs' worth of work.", f"sum({TENANT_BUSY}{_OF})", columns=4)
        )
        .with_panel(
            number(
                "Held and idle",
                "GPUs and MIG instances that a pod holds and hardly uses.",
                f'count({GPU_BUSY}{{exported_pod!="", tenant=~"$tenant"}} < 0.05)',
                red_from=1,
            )
        )
        .with_panel(
            number(
                "Unattributed",
                "GPUs' worth of work that no pod can be found for.",
                f'sum({TENANT_BUSY}{{tenant="{UNATTRIBUTED}"}})',
            )
        )
        .with_row(Row("GPUs"))
        .with_panel(
            curves(
                "GPUs held",
                "GPUs and MIG instances, each counted as one.",
                {_LEGEND: f"{TENANT_HELD}{_OF}"},
                stacked=True,
            )
        )
        .with_panel(
            curves(
                "GPUs at work",
                "GPUs' worth of work, with what cannot be attributed as a line of its own.",
                {_LEGEND: f"{TENANT_BUSY}{_OF}"},
                stacked=True,
            )
        )
        .with_panel(
            curves(
                "Use of what is held",
                "Near 0: it holds GPUs and does not use them.",
                {_LEGEND: f"{TENANT_BUSY}{_OF} / {TENANT_HELD}{_OF}"},
                unit="percentunit",
                highest=1,
            )
        )
        .with_panel(
            curves(
                "Part of the ceiling in use",
                "At 1 the tenant's next pod is refused.",
                {"{{namespace}} {{resource}}": f"{_quota('used')} / {_quota('hard')}"},
                unit="percentunit",
                highest=1,
            )
        )
    )


def _quota(kind: str) -> str:
    return (
        "max by (namespace, resource) (kube_resourcequota"
        f'{{job="{STATE_JOB}", resourcequota="{QUOTA}", namespace=~"$tenant", type="{kind}"}})'
    )
