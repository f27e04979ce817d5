"""Design rules of tenants: names, groups, and how a tenant goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule

# Groups that Kubernetes itself puts everybody, or every program, into.
_EVERYBODY: Final = (
    "system:authenticated",
    "system:unauthenticated",
    "system:serviceaccounts",
    "system:masters",
    "system:nodes",
)


@rule(ERROR, waivable=False)
def group_too_wide(case: Case) -> Iterator[Fault]:
    """A tenant's group is one that Kubernetes puts everybody into."""
    for index, tenant in enumerate(case.site.tenants):
        for key in ("group", "admins", "viewers"):
            group: str | None = getattr(tenant, key)
            if group is not None and group.startswith(_EVERYBODY):
                message = f"{group} is not one team's group"
                fix = "name the group that your identity provider has for the team"
                yield Fault(f"site.tenants[{index}].{key}", message, fix)


@rule(WARNING)
def group_shared(case: Case) -> Iterator[Fault]:
    """Two tenants have the same group, so that its members may use both quotas."""
    first: dict[str, int] = {}
    for index, tenant in enumerate(case.site.tenants):
        if tenant.state == "removed":
            continue
        before = first.setdefault(tenant.group, index)
        if before != index:
            message = f"{tenant.group} is the group of site.tenants[{before}] too"
            fix = "give each tenant a group of its own"
            yield Fault(f"site.tenants[{index}].group", message, fix)


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


RULES: Final[tuple[Rule, ...]] = (group_too_wide, group_shared, tenant_removed_unconfirmed)
