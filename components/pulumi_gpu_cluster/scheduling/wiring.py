"""The batch scheduler and its queues in a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.node_pools.capacity import kubernetes_pools
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import Share


def scheduler(
    cluster: Composition, promised: Sequence[Mapping[str, Mapping[str, Share]]]
) -> KubernetesComponent:
    """The scheduler that the site chose, without any tenant's queue.

    Args:
        cluster: The cluster.
        promised: Each tenant's shares by pool and resource.
    """
    site = cluster.site
    name, args = cluster.named(site.scheduler.kind), site.scheduler
    frameworks = _frameworks(cluster)
    if args.kind == "volcano":
        return parts.Volcano(
            name,
            args,
            pools=site.node_pools,
            charts=site.charts,
            delete_crds=site.gives_up_crds,
            expendable=site.gives_up_data,
            opts=cluster.inside(frameworks),
        )
    return parts.Kueue(
        name,
        args,
        cohort_name=site.name,
        pools=kubernetes_pools(site.node_pools),
        promised=promised,
        charts=site.charts,
        delete_crds=site.gives_up_crds,
        opts=cluster.inside(frameworks),
    )


def _frameworks(cluster: Composition) -> list[pulumi.Resource]:
    """Other kinds of jobs, before the scheduler that admits them looks which kinds there are."""
    site, made = cluster.site, list[pulumi.Resource]()
    if site.scheduler.with_jobset:
        made.append(
            parts.JobSet(
                cluster.named("jobset"),
                charts=site.charts,
                delete_crds=site.gives_up_crds,
                opts=cluster.inside(),
            )
        )
    if site.scheduler.trainer:
        made.append(
            parts.Trainer(
                cluster.named("trainer"),
                scheduler=site.scheduler.kind,
                charts=site.charts,
                delete_crds=site.gives_up_crds,
                opts=cluster.inside(made),
            )
        )
    return made


def queue(
    cluster: Composition,
    tenant: TenantArgs,
    held: Mapping[str, Mapping[str, Share]],
    after: Sequence[pulumi.Resource],
) -> KubernetesComponent:
    """A tenant's queue.

    Args:
        cluster: The cluster.
        tenant: Whose queue.
        held: The tenant's shares by pool and resource.
        after: The scheduler and the tenant's namespace.
    """
    name, site = cluster.named(f"{tenant.name}-queue"), cluster.site
    pools = kubernetes_pools(site.node_pools)
    if site.scheduler.kind == "volcano":
        return parts.VolcanoQueue(
            name, tenant, pools=pools, shares=held, opts=cluster.inside(after)
        )
    return parts.KueueQueue(
        name,
        tenant,
        args=site.scheduler.kueue,
        cohort_name=site.name,
        pools=pools,
        shares=held,
        opts=cluster.inside(after),
    )
