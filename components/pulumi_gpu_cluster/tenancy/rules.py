"""Design rules of tenants: names, groups, and how a tenant goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.kubernetes_names import is_label_value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.scheduling.choice import pool_queue_name

# Prefixes of the groups that Kubernetes itself, or kubeadm, puts people and programs into.
_EVERYBODY: Final = ("system:", "kubeadm:")


@rule(ERROR, waivable=False)
def group_too_wide(case: Case) -> Iterator[Fault]:
    """A tenant's group is one that Kubernetes fills itself, with everybody or with programs."""
    for path, group in _groups(case):
        if group.startswith(_EVERYBODY):
            yield Fault(path, f"{group} is not one team's group", _NAME_THE_GROUP)


@rule(ERROR, waivable=False)
def group_malformed(case: Case) -> Iterator[Fault]:
    """A tenant's group is written in a way that matches nobody's."""
    for path, group in _groups(case):
        if group != group.strip() or not group.isprintable() or "*" in group:
            message = f"{group!r} is no group: groups are compared letter by letter"
            yield Fault(path, message, _NAME_THE_GROUP)


@rule(WARNING)
def group_shared(case: Case) -> Iterator[Fault]:
    """Two tenants have the same group, so that its members may use both quotas."""
    present = [
        (index, one) for index, one in enumerate(case.site.tenants) if one.state != "removed"
    ]
    first: dict[str, int] = {}
    for index, tenant in present:
        before = first.setdefault(tenant.group, index)
        if before != index:
            message = f"{tenant.group} is the group of site.tenants[{before}] too"
            yield Fault(f"site.tenants[{index}].group", message, _OWN_GROUP)
    # Admins are members too. One group of admins for several tenants is meant that way.
    for index, tenant in present:
        other = first.get(tenant.admins or "", index)
        if other != index and tenant.admins != tenant.group:
            message = f"{tenant.admins} is the group of site.tenants[{other}]"
            yield Fault(f"site.tenants[{index}].admins", message, _OWN_GROUP)


@rule(ERROR, waivable=False)
def tenant_removed_unconfirmed(case: Case) -> Iterator[Fault]:
    """A tenant is to be removed with its data, and its name does not stand beside that."""
    for index, tenant in enumerate(case.site.tenants):
        path = f"site.tenants[{index}].confirm"
        if tenant.state == "removed" and tenant.confirm != tenant.name:
            message = f"the namespace {tenant.name} and all that is in it would go"
            yield Fault(path, message, f"write confirm: {tenant.name} if that is meant")
        elif tenant.state != "removed" and tenant.confirm is not None:
            message = f"confirms a removal, and the state is {tenant.state}"
            yield Fault(path, message, "remove it, or write state: removed")


@rule(ERROR, waivable=False)
def queue_name_too_long(case: Case) -> Iterator[Fault]:
    """The names of a tenant and a pool together are too long for their queue in Volcano."""
    if case.site.scheduler.kind != "volcano":
        return
    # source: volcano-sh/volcano v1.15.1 pkg/controllers/job: each pod carries it as a label
    for index, tenant in enumerate(case.site.tenants):
        for pool in tenant.quota.pools:
            name = pool_queue_name(tenant.name, pool)
            if not is_label_value(name):
                message = f"the queue {name} has {len(name)} letters, and 63 are the most"
                fix = "shorten the tenant's name or the pool's"
                yield Fault(f"site.tenants[{index}].quota.{pool}", message, fix)


def _groups(case: Case) -> Iterator[tuple[str, str]]:
    """Every group that a tenant names, with its path."""
    for index, tenant in enumerate(case.site.tenants):
        for key in ("group", "admins", "viewers"):
            group: str | None = getattr(tenant, key)
            if group is not None:
                yield f"site.tenants[{index}].{key}", group


_NAME_THE_GROUP: Final = "name the group that your identity provider has for the team"
_OWN_GROUP: Final = "give each tenant a group of its own"

RULES: Final[tuple[Rule, ...]] = (
    group_too_wide,
    group_malformed,
    group_shared,
    tenant_removed_unconfirmed,
    queue_name_too_long,
)
