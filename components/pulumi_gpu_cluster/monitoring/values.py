"""Values of the kube-prometheus-stack chart: what a site decides, and what no site should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pulumi_gpu_cluster.monitoring.alerts.cluster import REPLACED
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs, VolumeArgs
from pulumi_gpu_cluster.monitoring.state_metrics import state_metrics_values
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.scheduling.choice import Scheduler

GRAFANA_SECRET: Final = "grafana-admin"  # noqa: S105 - the name of a Secret
"""Secret with the account of Grafana's administrator."""

ALERTMANAGER_SECRET: Final = "alertmanager-routes"  # noqa: S105 - the name of a Secret
"""Secret with Alertmanager's configuration."""

# Of which one may fail: with one alone, an alert on the node it runs on would be lost with it.
_REPLICAS: Final = 2
# What Prometheus may fill of its disk. The rest is for the log it writes ahead, which does not
# count, and a full disk stops it.
_FILLED: Final = 85
# Without a volume it writes to its node's own disk.
_ON_NODE: Final = "20GiB"
_ALERTMANAGER_VOLUME: Final = "2Gi"
_SELECTORS: Final = ("serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig")
_CONTROL_PLANE: Final = ("kubeControllerManager", "kubeEtcd", "kubeProxy", "kubeScheduler")


@dataclass(frozen=True, slots=True)
class StackValues:
    """What differs from the chart's own values.

    Attributes:
        args: The site file's section.
        site: Name of the site, on every alert that leaves the cluster.
        pools: All node pools.
        scheduler: The batch scheduler.
    """

    args: MonitoringArgs
    site: str
    pools: Sequence[NodePoolArgs]
    scheduler: Scheduler

    def as_dict(self) -> dict[str, Any]:
        """The values as Helm takes them."""
        drivers = any(pool.gpu is not None for pool in self.pools)
        return {
            "defaultRules": {"disabled": dict.fromkeys(REPLACED, True)},
            # Where these listen on loopback only, their targets are down for ever, and so fire
            # alerts that everybody learns to ignore.
            **{part: {"enabled": self.args.control_plane} for part in _CONTROL_PLANE},
            "prometheus": {
                "prometheusSpec": self.prometheus(),
                "podDisruptionBudget": {"enabled": True},
            },
            "alertmanager": {
                "alertmanagerSpec": self.alertmanager(),
                "podDisruptionBudget": {"enabled": True},
            },
            "grafana": self._grafana(),
            "kube-state-metrics": state_metrics_values(self.scheduler, self.pools, drivers=drivers),
            "prometheus-node-exporter": self._node_exporter(),
            "prometheusOperator": {"resources": _resources("100m", "128Mi", "512Mi")},
        }

    def prometheus(self) -> dict[str, Any]:
        """The Prometheus object's spec, with the chart's own switches among it."""
        volume = self.args.volume
        spec: dict[str, Any] = {
            # Otherwise it takes only what carries the release's label, and everybody else's
            # metrics are missing without an error.
            **{f"{kind}SelectorNilUsesHelmValues": False for kind in _SELECTORS},
            "replicas": _REPLICAS,
            "retention": self.args.retention,
            "retentionSize": _filled(volume) if volume else _ON_NODE,
            "externalLabels": {"cluster": self.site},
            "resources": {
                "requests": {
                    "cpu": "1",
                    "memory": text_of(value(self.args.memory) / 2, binary=True),
                },
                "limits": {"memory": self.args.memory},
            },
        }
        return {**spec, "storageSpec": _claim(volume, volume.size)} if volume else spec

    def alertmanager(self) -> dict[str, Any]:
        """The Alertmanager object's spec, with the chart's own switches among it."""
        volume = self.args.volume
        spec: dict[str, Any] = {
            "replicas": _REPLICAS,
            "useExistingSecret": True,
            "configSecret": ALERTMANAGER_SECRET,
            "resources": _resources("50m", "128Mi", "256Mi"),
        }
        return {**spec, "storage": _claim(volume, _ALERTMANAGER_VOLUME)} if volume else spec

    def _grafana(self) -> dict[str, Any]:
        return {
            # The chart's own password is known to everybody.
            "admin": {"existingSecret": GRAFANA_SECRET},
            # A dashboard runs queries with Grafana's rights: tenants must not bring any.
            "sidecar": {"dashboards": {"searchNamespace": self.args.namespace}},
            "grafana.ini": {
                "analytics": {"check_for_updates": False, "reporting_enabled": False},
                "users": {"allow_sign_up": False},
            },
            "resources": _resources("100m", "256Mi", "512Mi"),
        }

    def _node_exporter(self) -> dict[str, Any]:
        return {
            # Every node, whatever its taints: an ill one above all.
            "tolerations": [{"operator": "Exists"}],
            "priorityClassName": "system-node-critical",
            "resources": _resources("50m", "64Mi", "256Mi"),
        }


def _filled(volume: VolumeArgs) -> str:
    return f"{int(value(volume.size)) * _FILLED // 100 // 2**20}MiB"


def _claim(volume: VolumeArgs, size: str) -> dict[str, Any]:
    chosen = {} if volume.storage_class is None else {"storageClassName": volume.storage_class}
    return {
        "volumeClaimTemplate": {
            "spec": {
                **chosen,
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": size}},
            }
        }
    }


def _resources(cpu: str, memory: str, limit: str) -> Mapping[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": limit}}
