"""Tenants in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.scheduling.choice import queue_rights
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import ceilings


def tenant(
    cluster: Composition, args: TenantArgs, after: Sequence[pulumi.Resource]
) -> parts.Tenant:
    """A tenant's place in the cluster.

    Args:
        cluster: The cluster.
        args: The tenant's entry in the site file.
        after: The guard that keeps tenants to their rights.
    """
    site = cluster.site
    return parts.Tenant(
        cluster.named(args.name),
        args,
        ceilings=ceilings(site, args),
        queue_rights=queue_rights(site.scheduler.kind),
        expendable=site.gives_up_data,
        metrics_reader=_metrics_reader(site),
        opts=cluster.inside(after),
    )


def _metrics_reader(site: Site) -> str:
    monitoring = site.monitoring
    return monitoring.namespace if monitoring is not None and monitoring.tenant_metrics else ""
