"""Rights of the sandbox's own parts in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule, RoleRef, Subject
from lightkube.resources.rbac_authorization_v1 import ClusterRole, ClusterRoleBinding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lightkube import Client

_RBAC: Final = "rbac.authorization.k8s.io"


def grant(client: Client, user: str, rules: Sequence[PolicyRule]) -> None:
    """Give a user these rights in the whole cluster, and no others."""
    metadata = ObjectMeta(name=user)
    binding = ClusterRoleBinding(
        metadata=metadata,
        roleRef=RoleRef(apiGroup=_RBAC, kind="ClusterRole", name=user),
        subjects=[Subject(apiGroup=_RBAC, kind="User", name=user)],
    )
    client.apply(ClusterRole(metadata=metadata, rules=list(rules)), force=True)
    client.apply(binding, force=True)


def rule(
    group: str, resources: Sequence[str], verbs: Sequence[str], names: Sequence[str] = ()
) -> PolicyRule:
    """Verbs on resources of one API group; on all of them where no names are given."""
    return PolicyRule(
        apiGroups=[group],
        resources=list(resources),
        verbs=list(verbs),
        resourceNames=list(names) or None,
    )
