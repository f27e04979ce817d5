"""The Prometheus Operator's objects, one function per kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.monitoring.alerts.rule import Group

_API: Final = "monitoring.coreos.com/v1"
# What one pod may cost Prometheus. A pod that is beyond any of these is not read at all.
_LIMITS: Final = {"sampleLimit": 5000, "labelLimit": 40, "labelValueLengthLimit": 256}
# Names of the platform's metrics, and those with a colon, which are recordings': dashboards and
# alerts go by them, and a pod that had one would speak for others.
_NO_OTHERS_NAMES: Final = {
    "sourceLabels": ["__name__"],
    "regex": ".*:.*|(ALERTS|DCGM|container|gpu_cluster|kube|kubelet|kueue|node|volcano)_.*|ALERTS",
    "action": "drop",
}
_TOKEN: Final = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - a path


@dataclass(frozen=True, slots=True)
class ServiceMonitor:
    """Services whose metrics Prometheus reads.

    Attributes:
        name: Name of the object.
        namespace: The namespace that the services are in.
        labels: Labels of the services.
        port: Name of their port.
        job_label: The label of a service whose value becomes the metrics' job.
        scheme: How they are asked. Over https with Prometheus' own token, and without a look at
            the certificate, which such endpoints sign themselves.
        paths: The paths of the metrics.
        interval: How often they are read; as Prometheus does by default where empty.
        relabelings: What becomes of a target's labels before it is read.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    port: str
    job_label: str = ""
    scheme: Literal["http", "https"] = "http"
    paths: Sequence[str] = ("/metrics",)
    interval: str = ""
    relabelings: Sequence[Mapping[str, Any]] = field(default_factory=tuple[Mapping[str, Any]])

    def spec(self) -> dict[str, Any]:
        """The object's spec."""
        return {
            "namespaceSelector": {"matchNames": [self.namespace]},
            "selector": {"matchLabels": dict(self.labels)},
            "endpoints": [self._endpoint(path) for path in self.paths],
            **({"jobLabel": self.job_label} if self.job_label else {}),
        }

    def _endpoint(self, path: str) -> dict[str, Any]:
        endpoint: dict[str, Any] = {"port": self.port, "path": path, "scheme": self.scheme}
        if self.scheme == "https":
            endpoint["bearerTokenFile"] = _TOKEN
            endpoint["tlsConfig"] = {"insecureSkipVerify": True}
        if self.interval:
            endpoint["interval"] = self.interval
        if self.relabelings:
            endpoint["relabelings"] = [dict(one) for one in self.relabelings]
        return endpoint


@dataclass(frozen=True, slots=True)
class PodMonitor:
    """Pods of others whose metrics Prometheus reads, and how much it takes of them.

    Attributes:
        name: Name of the object, and part of the metrics' job.
        namespaces: The namespaces that the pods are in.
        labels: Labels of the pods.
        port: Name of their port.
    """

    name: str
    namespaces: Sequence[str]
    labels: Mapping[str, str]
    port: str

    def spec(self) -> dict[str, Any]:
        """The object's spec. Whose metrics they are is Prometheus' word and not the pods'."""
        return {
            "namespaceSelector": {"matchNames": list(self.namespaces)},
            "selector": {"matchLabels": dict(self.labels)},
            "podMetricsEndpoints": [
                {
                    "port": self.port,
                    # Or a pod could have Prometheus ask others in its name.
                    "followRedirects": False,
                    "honorLabels": False,
                    "honorTimestamps": False,
                    "metricRelabelings": [_NO_OTHERS_NAMES],
                }
            ],
            **_LIMITS,
        }


def service_monitor(
    name: str, namespace: str, monitor: ServiceMonitor, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The object in the cluster. It lies with Prometheus, so that what it watches need not exist.

    Args:
        name: Name of the resource.
        namespace: Prometheus' namespace.
        monitor: What is watched.
        opts: Options of the resource.
    """
    return CustomResource(
        name,
        api_version=_API,
        kind="ServiceMonitor",
        metadata={"name": monitor.name, "namespace": namespace},
        spec=monitor.spec(),
        opts=opts,
    )


def pod_monitor(
    name: str, namespace: str, monitor: PodMonitor, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The object in the cluster, beside Prometheus."""
    return CustomResource(
        name,
        api_version=_API,
        kind="PodMonitor",
        metadata={"name": monitor.name, "namespace": namespace},
        spec=monitor.spec(),
        opts=opts,
    )


def prometheus_rule(
    name: str, namespace: str, group: Group, opts: pulumi.ResourceOptions
) -> CustomResource:
    """One group of rules as an object of its own, which can be looked at by its name."""
    return CustomResource(
        name,
        api_version=_API,
        kind="PrometheusRule",
        metadata={"name": group.name, "namespace": namespace},
        spec={"groups": [group.as_dict()]},
        opts=opts,
    )
