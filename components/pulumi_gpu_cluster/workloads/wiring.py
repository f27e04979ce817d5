"""Services for the people who use the cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pydantic import SecretStr

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import hub_tenants, profiles


def jupyterhub(cluster: Composition, tenant: TenantArgs, after: Sequence[pulumi.Resource]) -> None:
    """The tenant's hub, where the site gives it one.

    Args:
        cluster: The cluster.
        tenant: The tenant.
        after: The tenant's namespace and queue, and whatever homes are kept on.
    """
    site = cluster.site
    hub = site.workloads.jupyterhub
    if hub is None or tenant.name not in {one.name for one in hub_tenants(site)}:
        return
    parts.JupyterHub(
        cluster.named(f"{tenant.name}-jupyterhub"),
        hub,
        tenant=tenant,
        profiles=profiles(site, hub, tenant),
        scheduler=site.scheduler.kind,
        key=_known(hub.key),
        client_secret=_known(hub.oidc.client_secret),
        charts=site.charts,
        opts=cluster.inside(after),
    )


def _known(secret: SecretStr | None) -> pulumi.Output[str]:
    if secret is None:
        raise pulumi.RunError("the site lacks secrets; gpu-cluster secrets init makes them")
    return pulumi.Output.secret(secret.get_secret_value())
