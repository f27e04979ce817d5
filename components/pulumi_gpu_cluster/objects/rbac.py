"""Rights inside one namespace: roles, and who holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import (
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
        rules=[
            PolicyRuleArgs(
                api_groups=[right.group],
                resources=list(right.resources),
                verbs=list(right.verbs),
                resource_names=list(right.names) or None,
            )
            for right in rights
        ],
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
