"""Monitoring in a cluster."""

from __future__ import annotations

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.monitoring.alertmanager import contacts
from pulumi_gpu_cluster.monitoring.alerts.ceph import ceph_alerts
from pulumi_gpu_cluster.monitoring.alerts.rule import Group
from pulumi_gpu_cluster.monitoring.alerts.slurm import slurm_alerts
from pulumi_gpu_cluster.monitoring.objects import ServiceMonitor
from pulumi_gpu_cluster.monitoring.targets import ceph, dcgm_exporter, scheduler, slurm_controller
from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.site import Site


def monitoring(cluster: Composition) -> list[parts.Monitoring]:
    """Prometheus and what belongs to it; none where the site has none."""
    site = cluster.site
    if site.monitoring is None:
        return []
    return [
        parts.Monitoring(
            cluster.named("monitoring"),
            site.monitoring,
            site_name=site.name,
            pools=site.node_pools,
            scheduler=site.scheduler.kind,
            targets=_targets(site),
            rules=_rules(site),
            tenants=[tenant.name for tenant in site.tenants if tenant.state != "removed"],
            contact=contacts(site.tenants),
            charts=site.charts,
            delete_crds=site.gives_up_crds,
            opts=cluster.inside(),
        )
    ]


def _targets(site: Site) -> list[ServiceMonitor]:
    exported = site.gpu_operator.dcgm_exporter and any(pool.gpu for pool in site.node_pools)
    gpus = [dcgm_exporter(site.gpu_operator.namespace)] if exported else []
    slurm = [slurm_controller(site.slurm.namespace)] if site.slurm is not None else []
    stored = site.storage.ceph
    storage = ceph(stored.namespace) if stored is not None else ()
    return [*gpus, *slurm, *storage, scheduler(site.scheduler)]


def _rules(site: Site) -> list[Group]:
    storage = [ceph_alerts()] if site.storage.ceph is not None else []
    batch = [slurm_alerts(slurm_pools(site.node_pools))] if site.slurm is not None else []
    return [*storage, *batch]
