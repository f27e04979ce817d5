"""Charts of the monitoring."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: prometheus-community/helm-charts tag kube-prometheus-stack-88.5.3,
# charts/kube-prometheus-stack/charts/crds (a crds/ folder; its upgrade job is off by default)
KUBE_PROMETHEUS_STACK: Final = Chart(
    name="kube-prometheus-stack",
    repository="https://prometheus-community.github.io/helm-charts",
    version=versions.KUBE_PROMETHEUS_STACK,
    crds=(
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "alertmanagerconfigs.monitoring.coreos.com",
                "alertmanagers.monitoring.coreos.com",
                "podmonitors.monitoring.coreos.com",
                "probes.monitoring.coreos.com",
                "prometheusagents.monitoring.coreos.com",
                "prometheuses.monitoring.coreos.com",
                "prometheusrules.monitoring.coreos.com",
                "scrapeconfigs.monitoring.coreos.com",
                "servicemonitors.monitoring.coreos.com",
                "thanosrulers.monitoring.coreos.com",
            ),
            subchart="crds",
        ),
    ),
)
