"""Design rules of notebooks: hubs that can be made, and choices that tenants have room for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.capacity import devices_per_node, resource_name, short_name
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed
from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs
from pulumi_gpu_cluster.workloads.jupyterhub.names import HUB_NAMESPACE, hub_namespace, slug
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import hub_tenants, profiles

_PATH: Final = "site.workloads.jupyterhub"
_LONGEST_NAME: Final = 63


@rule(ERROR, waivable=False)
def jupyterhub_tenant_unknown(case: Case) -> Iterator[Fault]:
    """A hub is asked for a tenant that the site does not have, or that is leaving."""
    hub = case.site.workloads.jupyterhub
    active = [tenant.name for tenant in case.site.tenants if tenant.state == "active"]
    for index, name in enumerate(hub.tenants if hub is not None else ()):
        if name not in active:
            fix = instead(name, active) if active else "add the tenant, or remove the hubs"
            yield Fault(f"{_PATH}.tenants[{index}]", f"there is no active tenant {name}", fix)


@rule(ERROR, waivable=False)
def jupyterhub_name_too_long(case: Case) -> Iterator[Fault]:
    """A tenant's name is too long for the namespace of its hub."""
    hub = case.site.workloads.jupyterhub
    for index, tenant in enumerate(case.site.tenants if hub is not None else ()):
        name = hub_namespace(tenant.name)
        wanted = hub is not None and (not hub.tenants or tenant.name in hub.tenants)
        if wanted and len(name) > _LONGEST_NAME:
            most = _LONGEST_NAME - len(HUB_NAMESPACE)
            message = f"{name} has {len(name)} letters, and a namespace's name has at most 63"
            fix = f"shorten the tenant's name to {most}, or leave it out of the hubs' tenants"
            yield Fault(f"site.tenants[{index}].name", message, fix)


@rule(ERROR, waivable=False)
def jupyterhub_profile_unusable(case: Case) -> Iterator[Fault]:
    """A profile names a pool or device that is not there, or more than any tenant may have."""
    hub = case.site.workloads.jupyterhub
    for index, profile in enumerate(hub.profiles if hub is not None else ()):
        path = f"{_PATH}.profiles[{index}]"
        pool = case.pools.get(profile.pool)
        if pool is None:
            fix = instead(profile.pool, list(case.pools))
            yield Fault(f"{path}.pool", f"there is no pool {profile.pool}", fix)
            continue
        if pool.workload != "kubernetes":
            message = f"pool {pool.name} takes Slurm's jobs only, and a notebook is a pod"
            fix = "name a pool of Kubernetes, or start notebooks in Slurm's jobs"
            yield Fault(f"{path}.pool", message, fix)
            continue
        offered = [short_name(name) for name in devices_per_node(pool)]
        if profile.device is not None and short_name(resource_name(profile.device)) not in offered:
            fix = f"write {listed(offered, 'or')}" if offered else "remove it"
            yield Fault(f"{path}.device", f"pool {pool.name} offers no {profile.device}", fix)
        elif pool.sharing is not None and profile.device is not None and profile.count > 1:
            message = "a pod gets one share: the device plugin refuses those that ask for more"
            yield Fault(f"{path}.count", message, "write count: 1, or name a pool of whole GPUs")
        elif hub is not None and not _usable(case, hub, profile.name):
            message = f"no tenant with a hub may have so much in pool {pool.name}"
            yield Fault(path, message, "ask for less, or raise a tenant's ceiling there")


@rule(ERROR, waivable=False)
def jupyterhub_profile_name_taken(case: Case) -> Iterator[Fault]:
    """Two profiles have the same name, and nobody could tell them apart."""
    hub = case.site.workloads.jupyterhub
    first: dict[str, int] = {}
    for index, profile in enumerate(hub.profiles if hub is not None else ()):
        short = slug(profile.name)
        if not short:
            message = f"{profile.name!r} has no letter from a to z and no digit, by which hubs tell"
            yield Fault(f"{_PATH}.profiles[{index}].name", message, "add one, such as its number")
            continue
        before = first.setdefault(short, index)
        if before != index:
            message = f"is {short} to hubs, as {_PATH}.profiles[{before}] is"
            yield Fault(f"{_PATH}.profiles[{index}].name", message, "give it another name")


@rule(ERROR, waivable=False)
def jupyterhub_group_prefix(case: Case) -> Iterator[Fault]:
    """A tenant's group is without the prefix that the API server puts before the provider's."""
    hub = case.site.workloads.jupyterhub
    if hub is None:
        return
    prefix = hub.oidc.group_prefix
    for tenant in hub_tenants(case.site):
        index = case.site.tenants.index(tenant)
        for key in ("group", "admins"):
            group: str | None = getattr(tenant, key)
            if group is not None and not group.startswith(prefix):
                message = f"{group} does not begin with the hubs' group_prefix {prefix}"
                fix = f"write {prefix}{group} if the API server has that prefix, else remove it"
                yield Fault(f"site.tenants[{index}].{key}", message, fix)


@rule(WARNING)
def jupyterhub_nothing_to_offer(case: Case) -> Iterator[Fault]:
    """A tenant gets no hub, for it has no quota that a notebook could run on."""
    hub = case.site.workloads.jupyterhub
    for index, tenant in enumerate(case.site.tenants if hub is not None else ()):
        named = hub is not None and (not hub.tenants or tenant.name in hub.tenants)
        if hub is None or not named or tenant.state != "active":
            continue
        if not profiles(case.site, hub, tenant):
            message = f"{tenant.name} has no quota that a notebook could run on, so gets no hub"
            fix = "give it a quota in a pool, or name the others in workloads.jupyterhub.tenants"
            yield Fault(f"site.tenants[{index}].quota", message, fix)


def _usable(case: Case, hub: JupyterHubArgs, name: str) -> bool:
    """Whether any tenant with a hub is offered the profile of this name."""
    return any(
        one.title == name
        for tenant in case.site.tenants
        if tenant.state == "active" and (not hub.tenants or tenant.name in hub.tenants)
        for one in profiles(case.site, hub, tenant)
    )


RULES: Final[tuple[Rule, ...]] = (
    jupyterhub_tenant_unknown,
    jupyterhub_name_too_long,
    jupyterhub_profile_unusable,
    jupyterhub_profile_name_taken,
    jupyterhub_group_prefix,
    jupyterhub_nothing_to_offer,
)
