"""Design rules of Slurm's people: accounts, members, and who can log in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.slurm.names import RESERVED
from pulumi_gpu_cluster.wording import instead, listed

_PUBLIC_KEYS: Final = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-")


@rule(ERROR, waivable=False)
def slurm_account_name(case: Case) -> Iterator[Fault]:
    """A tenant has the name of an account or QOS that Slurm has already."""
    if case.site.slurm is None:
        return
    for index, tenant in enumerate(case.site.tenants):
        if tenant.name in RESERVED:
            message = f"{tenant.name} is an account or QOS of Slurm's"
            yield Fault(f"site.tenants[{index}].name", message, "give the tenant another name")


@rule(ERROR)
def slurm_quota_split(case: Case) -> Iterator[Fault]:
    """A tenant has GPUs in several pools of Slurm's, and Slurm holds only their sum."""
    ours = {pool.name for pool in slurm_pools(case.site.node_pools)}
    for index, tenant in enumerate(case.site.tenants):
        split = [name for name, quota in tenant.quota.pools.items() if name in ours and quota.gpu]
        for name in split[1:]:
            message = f"Slurm holds the sum over {listed(split)}, whichever of them a job takes"
            fix = "give each tenant GPUs in one Slurm pool, or accept that the sum is what holds"
            yield Fault(f"site.tenants[{index}].quota.{name}.gpu", message, fix)


@rule(ERROR, waivable=False)
def slurm_member_tenant(case: Case) -> Iterator[Fault]:
    """Members are listed for a tenant that the site does not have."""
    if case.site.slurm is None:
        return
    names = [tenant.name for tenant in case.site.tenants]
    for name in case.site.slurm.members:
        if name not in names:
            fix = instead(name, names) if names else "add the tenant"
            yield Fault(f"site.slurm.members.{name}", f"there is no tenant {name}", fix)


@rule(WARNING)
def slurm_member_without_quota(case: Case) -> Iterator[Fault]:
    """Members are listed for a tenant without a quota in Slurm, and can start nothing."""
    slurm = case.site.slurm
    ours = [pool.name for pool in slurm_pools(case.site.node_pools)]
    for tenant in case.site.tenants:
        listed_there = slurm is not None and slurm.members.get(tenant.name)
        if listed_there and tenant.state == "active" and not set(ours) & set(tenant.quota.pools):
            message = f"{tenant.name} has no quota in a pool of Slurm's: its members start nothing"
            fix = f"give it one in {listed(ours, 'or')}, or take the members out"
            yield Fault(f"site.slurm.members.{tenant.name}", message, fix)


@rule(ERROR, waivable=False)
def slurm_login_key(case: Case) -> Iterator[Fault]:
    """Where a public key for logging in belongs stands something else."""
    login = case.site.slurm.login if case.site.slurm is not None else None
    for index, key in enumerate(login.ssh_keys if login is not None else ()):
        if not key.startswith(_PUBLIC_KEYS) or "\n" in key.strip():
            message = "is no public key; if it is a private one, count it as known to others"
            fix = "write one line of an authorized_keys file: ssh-ed25519 AAAA..."
            yield Fault(f"site.slurm.login.ssh_keys[{index}]", message, fix)


@rule(WARNING)
def slurm_login_empty(case: Case) -> Iterator[Fault]:
    """There are pods to log in to, and nobody who could."""
    login = case.site.slurm.login if case.site.slurm is not None else None
    if login is not None and not login.ssh_keys and login.sssd_conf is None:
        fix = "add ssh_keys for administrators, or sssd_conf for users"
        yield Fault("site.slurm.login", "lets nobody in", fix)


RULES: Final[tuple[Rule, ...]] = (
    slurm_account_name,
    slurm_quota_split,
    slurm_member_tenant,
    slurm_member_without_quota,
    slurm_login_key,
    slurm_login_empty,
)
