"""Prometheus, Alertmanager and Grafana, with what they know of a GPU cluster."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
import yaml
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.catalog.charts import KUBE_PROMETHEUS_STACK
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.monitoring.alertmanager import alertmanager_config
from pulumi_gpu_cluster.monitoring.alerts.cluster import cluster_alerts
from pulumi_gpu_cluster.monitoring.alerts.gpus import gpu_alerts
from pulumi_gpu_cluster.monitoring.alerts.rule import Group
from pulumi_gpu_cluster.monitoring.alerts.usage import usage
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs
from pulumi_gpu_cluster.monitoring.dashboards import dashboards
from pulumi_gpu_cluster.monitoring.network import own_namespace_only
from pulumi_gpu_cluster.monitoring.objects import (
    ServiceMonitor,
    pod_monitor,
    prometheus_rule,
    service_monitor,
)
from pulumi_gpu_cluster.monitoring.targets import tenant_pods
from pulumi_gpu_cluster.monitoring.values import ALERTMANAGER_SECRET, GRAFANA_SECRET, StackValues
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release
from pulumi_gpu_cluster.scheduling.choice import Scheduler

MONITORING_TYPE: Final = "gpu-cluster:monitoring:Monitoring"
"""Type token of the component; lives in users' state, so it never changes."""

_ADMIN: Final = "admin"


class Monitoring(KubernetesComponent):
    """Metrics of the cluster and its GPUs, the alerts on them, and dashboards."""

    def __init__(
        self,
        name: str,
        args: MonitoringArgs,
        *,
        site_name: str,
        pools: Sequence[NodePoolArgs],
        scheduler: Scheduler,
        targets: Sequence[ServiceMonitor] = (),
        rules: Sequence[Group] = (),
        tenants: Sequence[str] = (),
        contact: Mapping[str, str] | None = None,
        admin_password: pulumi.Input[str] | None = None,
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the chart, and then what it is to watch and tell.

        Args:
            name: Name of the component.
            args: The site file's section.
            site_name: Name of the site, on every alert that leaves the cluster.
            pools: All node pools.
            scheduler: The batch scheduler, whose queues are watched.
            targets: What is read beside the cluster itself.
            rules: Rules on what those targets tell.
            tenants: Namespaces of tenants whose pods are read, where the section says so.
            contact: Receiver of the alerts about a tenant, by the tenant's name.
            admin_password: Password of Grafana's administrator; goes before the section's own.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether the chart's CRDs go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": KUBE_PROMETHEUS_STACK.version, "namespace": args.namespace}
        super().__init__(MONITORING_TYPE, name, props, opts)
        account = {"admin-user": _ADMIN, "admin-password": admin_password or _password(args)}
        config = yaml.safe_dump(alertmanager_config(args, contact or {}), sort_keys=False)

        def needs(inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
            home = args.namespace
            routes = {"alertmanager.yaml": config}
            return [
                own_namespace_only(f"{name}-network", home, inside),
                _secret(f"{name}-grafana-admin", home, GRAFANA_SECRET, account, inside),
                _secret(f"{name}-alertmanager-routes", home, ALERTMANAGER_SECRET, routes, inside),
            ]

        release = platform_release(
            self,
            name,
            KUBE_PROMETHEUS_STACK,
            source=charts,
            namespace=args.namespace,
            values=StackValues(args, site_name, pools, scheduler).as_dict(),
            delete_crds=delete_crds,
            needs=needs,
        )
        installed = self.child(after=[release])
        for target in targets:
            service_monitor(f"{name}-target-{target.name}", args.namespace, target, installed)
        if args.tenant_metrics and tenants:
            pods = tenant_pods(tenants)
            pod_monitor(f"{name}-pods-{pods.name}", args.namespace, pods, installed)
        for group in (*groups(args, pools), *rules):
            prometheus_rule(f"{name}-{group.name}", args.namespace, group, installed)
        for uid, content in dashboards(scheduler).items():
            _dashboard(f"{name}-dashboard-{uid}", args.namespace, uid, content, installed)
        self.register_outputs(props)


def groups(args: MonitoringArgs, pools: Sequence[NodePoolArgs]) -> tuple[Group, ...]:
    """The groups of rules that every site has. What reads a recording lags it by one evaluation."""
    return (usage(pools), gpu_alerts(args), cluster_alerts())


def _password(args: MonitoringArgs) -> str:
    password = args.grafana.admin_password
    if password is None:
        raise pulumi.RunError(
            "monitoring.grafana.admin_password is missing; make it by gpu-cluster secrets init"
        )
    return password.get_secret_value()


def _secret(
    name: str,
    namespace_name: str,
    secret_name: str,
    content: Mapping[str, pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> Secret:
    return Secret(
        name,
        metadata=ObjectMetaArgs(name=secret_name, namespace=namespace_name),
        data={key: pulumi.Output.secret(text).apply(_encoded) for key, text in content.items()},
        opts=opts,
    )


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _dashboard(
    name: str, namespace_name: str, uid: str, content: str, opts: pulumi.ResourceOptions
) -> ConfigMap:
    """A dashboard, found by its label."""
    return ConfigMap(
        name,
        metadata=ObjectMetaArgs(
            name=f"dashboard-{uid}",
            namespace=namespace_name,
            labels={"grafana_dashboard": "1"},
        ),
        data={f"{uid}.json": content},
        opts=opts,
    )
