"""Tenants that left the site file without saying goodbye.

A tenant's namespace holds its data. An entry that is dropped or renamed looks to the engine like
an order to delete it, so the last run's record of tenants is held against the file before
anything is registered. Behind that, the namespace itself is protected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard, cast

from pulumi_gpu_cluster.findings import Finding, error
from pulumi_gpu_cluster.site import Site


def departures(recorded: Mapping[str, str], site: Site) -> list[Finding]:
    """What is wrong with how tenants went since the last run.

    Args:
        recorded: State of each tenant by name, as the last run left it.
        site: The site as it is to be now.
    """
    listed = {tenant.name for tenant in site.tenants}
    dropped = [
        _dropped(name, new=sorted(listed - set(recorded)))
        for name, state in sorted(recorded.items())
        if name not in listed and state != "removed"
    ]
    hasty = [
        _hasty(index, tenant.name)
        for index, tenant in enumerate(site.tenants)
        if tenant.state == "removed" and recorded.get(tenant.name) == "active"
    ]
    return dropped + hasty


def recorded_tenants(outputs: Mapping[str, Any]) -> dict[str, str]:
    """State of each tenant by name, from a stack's outputs of any age."""
    tenants = outputs.get("tenants")
    if not isinstance(tenants, Iterable):
        return {}
    return {
        str(tenant["name"]): str(tenant["state"])
        for tenant in cast("Iterable[object]", tenants)
        if _is_record(tenant)
    }


def _is_record(tenant: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(tenant, Mapping) and "name" in tenant and "state" in tenant


def _dropped(name: str, new: list[str]) -> Finding:
    renamed = (
        f" (a namespace cannot be renamed: {', '.join(new)} would be a new, empty one)"
        if new
        else ""
    )
    return error(
        "tenant-dropped",
        "site.tenants",
        f"tenant {name} is there and the file no longer lists it{renamed}; its namespace and all "
        "data in it would go",
        f"list {name} again; to let it go, set its `state: leaving` and run, then "
        f"`state: removed` with `confirm: {name}` and run, then drop the entry",
        waivable=False,
    )


def _hasty(index: int, name: str) -> Finding:
    return error(
        "tenant-not-leaving",
        f"site.tenants[{index}].state",
        f"tenant {name} was active until now and would lose its namespace and all data at once",
        "set `state: leaving` and run first, so that its people can see what goes",
        waivable=False,
    )
