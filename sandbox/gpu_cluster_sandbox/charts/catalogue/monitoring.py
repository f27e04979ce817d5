"""Stand-ins of the monitoring."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

MONITORING: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "kube-prometheus-stack": StandIn(
            source=Source("charts/kube-prometheus-stack"),
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-operator"',
                    placing="prometheusOperator",
                    switch="prometheusOperator.enabled",
                ),
            ),
            bundled=(Source(None, "crds/prometheus-operator", name="crds"),),
            also_known=("alertmanager.alertmanagerSpec.configSecret",),
            open_paths=("defaultRules.disabled",),
        ),
    }
)
"""By the chart's name."""
