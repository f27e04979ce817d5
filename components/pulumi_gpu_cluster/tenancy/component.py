"""A tenant: its namespace, who may do what in it, and what holds it there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Namespace

from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import TENANT, namespace
from pulumi_gpu_cluster.objects.rbac import role, role_binding
from pulumi_gpu_cluster.objects.rights import Right
from pulumi_gpu_cluster.tenancy import rights
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL
from pulumi_gpu_cluster.tenancy.limits import (
    closed_network,
    metrics_network,
    no_foreign_affinity,
    no_system_priority,
    object_counts,
    own_network,
    pod_defaults,
    quota,
)

TENANT_TYPE: Final = "gpu-cluster:tenancy:Tenant"
"""Type token of the component; lives in users' state, so it never changes."""


class Tenant(KubernetesComponent):
    """A team's place in the cluster.

    The namespace holds the team's data, so it is protected: neither dropping the entry nor
    destroying the stack takes it. It can go once the tenant is leaving, or where the site
    says that destroying may take data.
    """

    def __init__(
        self,
        name: str,
        args: TenantArgs,
        *,
        ceilings: Mapping[str, pulumi.Input[str]],
        queue_rights: tuple[Right, ...] = (),
        expendable: bool = False,
        metrics_reader: str = "",
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Makes the namespace and everything in it.

        Args:
            name: Name of the component.
            args: The tenant's section of the site file.
            ceilings: Hard limits of the ResourceQuota.
            queue_rights: What members may do with the scheduler's objects.
            expendable: Whether the site allows that its data goes.
            metrics_reader: Namespace of the Prometheus that reads its pods' metrics; none where
                empty.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"name": args.name, "namespace": args.name, "state": args.state}
        super().__init__(TENANT_TYPE, name, props, opts)
        active = args.state == "active"
        home = self._namespace(name, args, keep=active and not expendable)
        inside = self.child(after=[home])
        # A quota of no pods lets run what runs and start nothing new.
        hard = ceilings if active else {**ceilings, "pods": "0"}
        quota(f"{name}-quota", args.name, hard, inside)
        no_system_priority(f"{name}-quota-no-system-priority", args.name, inside)
        no_foreign_affinity(f"{name}-quota-no-foreign-affinity", args.name, inside)
        object_counts(
            f"{name}-quota-objects", args.name, rights.member_rights(queue_rights), inside
        )
        pod_defaults(f"{name}-defaults", args.name, inside)
        closed_network(f"{name}-network-closed", args.name, inside)
        own_network(f"{name}-network-own", args.name, inside)
        if metrics_reader:
            metrics_network(f"{name}-network-metrics", args.name, metrics_reader, inside)
        self._viewers(name, args, queue_rights, inside)
        if active:
            self._members(name, args, queue_rights, inside)
        self.register_outputs({**props, "quota": dict(hard)})

    def _namespace(self, name: str, args: TenantArgs, *, keep: bool) -> Namespace:
        options = pulumi.ResourceOptions(protect=keep, retain_on_delete=keep)
        return namespace(
            f"{name}-namespace",
            args.name,
            {TENANT_LABEL: args.name, **TENANT},
            pulumi.ResourceOptions.merge(self.child(), options),
        )

    def _viewers(
        self,
        name: str,
        args: TenantArgs,
        queue_rights: tuple[Right, ...],
        inside: pulumi.ResourceOptions,
    ) -> None:
        """Always the role, which admins may give; its holders only where the site names some."""
        made = role(
            f"{name}-viewer",
            args.name,
            rights.VIEWER_ROLE,
            rights.viewer_rights(queue_rights),
            inside,
        )
        if args.viewers is not None:
            role_binding(
                f"{name}-viewers",
                args.name,
                rights.VIEWER_ROLE,
                [args.viewers],
                self.child(after=[made]),
            )

    def _members(
        self,
        name: str,
        args: TenantArgs,
        queue_rights: tuple[Right, ...],
        inside: pulumi.ResourceOptions,
    ) -> None:
        """Members, and the admins among them."""
        admins = [] if args.admins is None else [args.admins]
        member = role(
            f"{name}-member",
            args.name,
            rights.MEMBER_ROLE,
            rights.member_rights(queue_rights),
            inside,
        )
        role_binding(
            f"{name}-members",
            args.name,
            rights.MEMBER_ROLE,
            [args.group, *admins],
            self.child(after=[member]),
        )
        if admins:
            admin = role(
                f"{name}-admin", args.name, rights.ADMIN_ROLE, rights.admin_rights(), inside
            )
            role_binding(
                f"{name}-admins", args.name, rights.ADMIN_ROLE, admins, self.child(after=[admin])
            )
