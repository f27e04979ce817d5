"""Tenants as Slurm's accounts: fair share, ceilings, and guarantees that are called in.

An account holds the ceiling (GrpTRES) and the weight (fair share). A QOS of the same name holds
the guarantee: its jobs may end those of the QOS `borrow`, in which a tenant with more ceiling than
guarantee runs the rest. Guarantees are proven against the pools, so what is called in is there.
CPUs and memory are limited as well as GPUs, or jobs without a GPU would take what those of other
tenants need beside theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU
from pulumi_gpu_cluster.slurm.names import BORROW
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import CPU, MEMORY, Share, pool_shares

_MIB: Final = 2**20
_GIB_IN_MIB: Final = 1024
_TRES: Final[Mapping[str, str]] = {CPU: "cpu", MEMORY: "mem", WHOLE_GPU: "gres/gpu"}
_UNLIMITED: Final = "-1"


@dataclass(frozen=True, slots=True)
class Account:
    """A tenant's account.

    Attributes:
        name: Name of the account and of its QOS.
        weight: Its fair share, relative to other accounts'.
        pools: Pools that its jobs may run on.
        limits: Guarantee and ceiling of each resource that is limited, by its full name.
        members: Users who may submit under it.
        stopped: Whether nothing new starts; what runs may end.
    """

    name: str
    weight: int
    pools: tuple[str, ...]
    limits: Mapping[str, Share]
    members: tuple[str, ...] = ()
    stopped: bool = False

    @property
    def borrows(self) -> bool:
        """Whether it may have more than it is guaranteed."""
        return any(share.ceiling > share.guarantee for share in self.limits.values())

    @property
    def guaranteed(self) -> bool:
        """Whether it is guaranteed anything."""
        return any(share.guarantee for share in self.limits.values())


def account_of(
    tenant: TenantArgs, pools: Iterable[NodePoolArgs], members: Sequence[str] = ()
) -> Account:
    """The account that a tenant's quota on Slurm's pools leads to.

    One that has nothing there has an account that starts nothing: it may have had something.

    Args:
        tenant: The tenant.
        pools: All pools.
        members: Users of the tenant.
    """
    pools = slurm_pools(pools)
    shares = pool_shares(tenant, pools)
    limits: dict[str, Share] = {}
    for by_resource in shares.values():
        for resource, more in by_resource.items():
            before = limits.get(resource, Share(Fraction(0), Fraction(0)))
            limits[resource] = Share(
                before.guarantee + more.guarantee, before.ceiling + more.ceiling
            )
    if any(pool.gpu is not None for pool in pools):
        limits.setdefault(WHOLE_GPU, Share(Fraction(0), Fraction(0)))
    return Account(
        name=tenant.name,
        weight=tenant.weight,
        pools=tuple(shares),
        limits=limits,
        members=tuple(members),
        stopped=tenant.state != "active" or not shares,
    )


def accounting_list(cluster_name: str, tres: Sequence[str], accounts: Iterable[Account]) -> str:
    """What the accounting database is to hold, in the lines that accounting.sh reads.

    Args:
        cluster_name: Slurm's name of the cluster.
        tres: What the controller must have told the database of before limits can be set.
        accounts: The accounts.
    """
    accounts = list(accounts)
    lines: list[tuple[str, ...]] = [("cluster", cluster_name)]
    lines += [("tres", one) for one in tres]
    lines.append(("qos", BORROW, "Priority=0", "PreemptMode=requeue"))
    lines += [_qos(account) for account in accounts]
    lines += [_account(account) for account in accounts]
    lines += [("user", user, account.name) for account in accounts for user in account.members]
    return "".join(f"{'|'.join(line)}\n" for line in lines)


def _qos(account: Account) -> tuple[str, ...]:
    held = {name: share.guarantee for name, share in account.limits.items()}
    return ("qos", account.name, "Priority=1000", f"Preempt={BORROW}", f"GrpTRES={_limits(held)}")


def _account(account: Account) -> tuple[str, ...]:
    most = {name: share.ceiling for name, share in account.limits.items()}
    own = [account.name] if account.guaranteed or not account.borrows else []
    qos = [*([BORROW] if account.borrows else []), *own]
    jobs = "0" if account.stopped else _UNLIMITED
    return (
        "account",
        account.name,
        f"Fairshare={account.weight}",
        f"GrpTRES={_limits(most)}",
        f"GrpJobs={jobs}",
        f"GrpSubmit={jobs}",
        f"QOS={','.join(qos)}",
        f"DefaultQOS={(own or qos)[0]}",
    )


def _limits(amounts: Mapping[str, Fraction]) -> str:
    """A list of limits that says a word on each resource: what is left out stays as it was."""
    return ",".join(
        f"{tres}={_amount(name, amounts[name]) if name in amounts else _UNLIMITED}"
        for name, tres in _TRES.items()
    )


def _amount(resource: str, amount: Fraction) -> str:
    if resource != MEMORY:
        return str(ceil(amount))
    mebibytes = int(amount / _MIB)
    if mebibytes % _GIB_IN_MIB or not mebibytes:
        return f"{mebibytes}M" if mebibytes else "0"
    return f"{mebibytes // _GIB_IN_MIB}G"
