"""Stand-ins of Slurm, its accounting database, and cert-manager."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

SLURM: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "cert-manager": StandIn(
            source=Source("charts/cert-manager", "crds/cert-manager"),
            unpublished="v0.0.0",
            workloads=(
                Workload('include "standin.fullname" .', placing=""),
                Workload('include "standin.fullname" . | printf "%s-webhook"', placing="webhook"),
                Workload(
                    'include "standin.fullname" . | printf "%s-cainjector"',
                    placing="cainjector",
                    switch="cainjector.enabled",
                ),
            ),
        ),
        "slurm-operator-crds": StandIn(
            source=Source("charts/slurm-operator/slurm-operator-crds", "crds/slurm-operator"),
            workloads=(),
        ),
        "slurm-operator": StandIn(
            source=Source("charts/slurm-operator/slurm-operator"),
            bundled=(
                Source("charts/slurm-operator/slurm-operator-crds", name="slurm-operator-crds"),
            ),
            workloads=(
                Workload(
                    'include "standin.fullname" .', placing="operator", switch="operator.enabled"
                ),
                Workload(
                    'include "standin.fullname" . | printf "%s-webhook"',
                    placing="webhook",
                    switch="webhook.enabled",
                ),
            ),
        ),
        "mariadb-operator-crds": StandIn(
            source=Source("charts/mariadb-operator/mariadb-operator-crds", "crds/mariadb-operator"),
            workloads=(),
        ),
        "mariadb-operator": StandIn(
            source=Source("charts/mariadb-operator/mariadb-operator"),
            bundled=(
                Source(
                    "charts/mariadb-operator/mariadb-operator-crds", name="mariadb-operator-crds"
                ),
            ),
            workloads=(
                Workload('include "standin.fullname" .', placing=""),
                Workload(
                    'include "standin.fullname" . | printf "%s-webhook"',
                    placing="webhook",
                    switch="webhook.enabled",
                ),
                Workload(
                    'include "standin.fullname" . | printf "%s-cert-controller"',
                    placing="certController",
                    switch="certController.enabled",
                ),
            ),
        ),
    }
)
"""By the chart's name."""
