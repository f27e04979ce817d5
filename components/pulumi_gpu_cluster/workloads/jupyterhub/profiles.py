"""What people may choose to run a notebook on: never more than their tenant has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import (
    kubernetes_pools,
    resource_name,
    short_name,
)
from pulumi_gpu_cluster.node_pools.props import SHARED
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, Share, beside_each, pool_shares
from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs, ProfileArgs

_SMALL: Final = {CPU: Fraction(2), MEMORY: Fraction(8 * 2**30)}
"""A notebook without GPU: enough to look at data and to write code."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One choice.

    Attributes:
        title: What the person reads.
        pool: Where it runs.
        devices: GPU resources by their full names; none for a notebook without.
        cpu: CPU cores.
        memory: Memory, in bytes.
    """

    title: str
    pool: NodePoolArgs
    devices: Mapping[str, int]
    cpu: Fraction
    memory: Fraction


def hub_tenants(site: Site) -> tuple[TenantArgs, ...]:
    """The tenants that have a hub: active ones with something to run a notebook on.

    A tenant that is leaving has none: nothing new may start, and its members' rights are gone.
    """
    hub = site.workloads.jupyterhub
    if hub is None:
        return ()
    return tuple(
        tenant
        for tenant in site.tenants
        if tenant.state == "active"
        and (not hub.tenants or tenant.name in hub.tenants)
        and profiles(site, hub, tenant)
    )


def profiles(site: Site, hub: JupyterHubArgs, tenant: TenantArgs) -> tuple[Profile, ...]:
    """A tenant's choices, in the file's order or else the pools'."""
    held = pool_shares(tenant, site.node_pools)
    pools = {pool.name: pool for pool in kubernetes_pools(site.node_pools) if pool.name in held}
    if hub.profiles:
        stated = (
            _stated(one, pools[one.pool], held[one.pool])
            for one in hub.profiles
            if one.pool in pools
        )
        return tuple(one for one in stated if fits(one, held[one.pool.name]))
    return tuple(one for pool in pools.values() for one in _of_pool(pool, held[pool.name]))


def fits(profile: Profile, held: Mapping[str, Share]) -> bool:
    """Whether a tenant's ceilings in the pool leave room for one such notebook."""
    wanted: dict[str, Fraction] = {CPU: profile.cpu, MEMORY: profile.memory}
    wanted |= {name: Fraction(count) for name, count in profile.devices.items()}
    return all(
        0 < amount <= (held[name].ceiling if name in held else 0) for name, amount in wanted.items()
    )


def _stated(args: ProfileArgs, pool: NodePoolArgs, held: Mapping[str, Share]) -> Profile:
    devices = {resource_name(args.device): args.count} if args.device is not None else {}
    usual = _amounts(pool, held, devices)
    return Profile(
        args.name,
        pool,
        devices,
        value(args.cpu) if args.cpu is not None else usual[CPU],
        value(args.memory) if args.memory is not None else usual[MEMORY],
    )


def _of_pool(pool: NodePoolArgs, held: Mapping[str, Share]) -> Iterator[Profile]:
    """One notebook of each device that the tenant has there, or one without GPU."""
    names = [name for name in held if name not in _SMALL]
    for name in names:
        devices = {name: 1}
        usual = _amounts(pool, held, devices)
        title = f"1 {_words(pool, name)} ({pool.name})"
        one = Profile(title, pool, devices, usual[CPU], usual[MEMORY])
        if fits(one, held):
            yield one
    if not names and pool.gpu is None:
        usual = _amounts(pool, held, {})
        one = Profile(f"No GPU ({pool.name})", pool, {}, usual[CPU], usual[MEMORY])
        if fits(one, held):
            yield one


def _amounts(
    pool: NodePoolArgs, held: Mapping[str, Share], devices: Mapping[str, int]
) -> Mapping[str, Fraction]:
    """CPU and memory of a notebook that does not state them."""
    if not devices:
        return {name: min(amount, held[name].ceiling) for name, amount in _SMALL.items()}
    ((name, count),) = devices.items()
    return {resource: amount * count for resource, amount in beside_each(pool, held, name).items()}


def _words(pool: NodePoolArgs, resource: str) -> str:
    """A device as people call it: H100-SXM5-80GB, a slice of one, or a share of either."""
    model = pool.gpu.model if pool.gpu is not None else ""
    short = short_name(resource).removesuffix(SHARED)
    words = model if short == "gpu" else f"{short} of {model}"
    return words if pool.sharing is None else f"{words}, shared by {pool.sharing.replicas}"
