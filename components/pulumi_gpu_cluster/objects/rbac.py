"""Rights in one namespace and in the whole cluster: roles, and who holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import (
    ClusterRole,
    ClusterRoleBinding,
    PolicyRuleArgs,
    Role,
    RoleBinding,
    RoleRefArgs,
    SubjectArgs,
)

from pulumi_gpu_cluster.objects.rights import Right

_RBAC: Final = "rbac.authorization.k8s.io"


def role(
    name: str,
    namespace: str,
    role_name: str,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
) -> Role:
    """A role of one namespace."""
    return Role(
        name,
        metadata=ObjectMetaArgs(name=role_name, namespace=namespace),
        rules=_rules(rights),
        opts=opts,
    )


def service_account_binding(
    name: str,
    namespace: str,
    role_name: str,
    account: tuple[str, str],
    opts: pulumi.ResourceOptions,
) -> RoleBinding:
    """Gives a role of the namespace to a program.

    Args:
        name: Name of the resource.
        namespace: The role's namespace.
        role_name: Name of the role, and of the binding.
        account: Namespace and name of the program's service account.
        opts: Options of the resource.
    """
    subject = SubjectArgs(kind="ServiceAccount", namespace=account[0], name=account[1])
    return RoleBinding(
        name,
        metadata=ObjectMetaArgs(name=role_name, namespace=namespace),
        role_ref=RoleRefArgs(api_group=_RBAC, kind="Role", name=role_name),
        subjects=[subject],
        opts=opts,
    )


def cluster_role(
    name: str, role_name: str, rights: Sequence[Right], opts: pulumi.ResourceOptions
) -> ClusterRole:
    """A role of the whole cluster."""
    return ClusterRole(
        name, metadata=ObjectMetaArgs(name=role_name), rules=_rules(rights), opts=opts
    )


def cluster_role_binding(
    name: str, role_name: str, account: tuple[str, str], opts: pulumi.ResourceOptions
) -> ClusterRoleBinding:
    """Gives a role of the whole cluster to a service account.

    Args:
        name: Name of the resource.
        role_name: Name of the role, and of the binding.
        account: The service account's namespace and name.
        opts: Options of the resource.
    """
    namespace, account_name = account
    return ClusterRoleBinding(
        name,
        metadata=ObjectMetaArgs(name=role_name),
        role_ref=RoleRefArgs(api_group=_RBAC, kind="ClusterRole", name=role_name),
        subjects=[SubjectArgs(kind="ServiceAccount", name=account_name, namespace=namespace)],
        opts=opts,
    )


def _rules(rights: Sequence[Right]) -> list[PolicyRuleArgs]:
    return [
        PolicyRuleArgs(
            api_groups=[right.group],
            resources=list(right.resources),
            verbs=list(right.verbs),
            resource_names=list(right.names) or None,
        )
        for right in rights
    ]


def role_binding(
    name: str,
    namespace: str,
    role_name: str,
    groups: Sequence[str],
    opts: pulumi.ResourceOptions,
) -> RoleBinding:
    """Gives a role of the namespace to groups."""
    return RoleBinding(
        name,
        metadata=ObjectMetaArgs(name=role_name, namespace=namespace),
        role_ref=RoleRefArgs(api_group=_RBAC, kind="Role", name=role_name),
        subjects=[SubjectArgs(api_group=_RBAC, kind="Group", name=group) for group in groups],
        opts=opts,
    )
