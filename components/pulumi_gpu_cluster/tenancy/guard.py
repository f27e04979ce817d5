"""Keeps tenants from going around what holds them: the queue, the scheduler, the network."""

from __future__ import annotations

from typing import Final

import pulumi

from pulumi_gpu_cluster.objects.admission import admission_binding, admission_policy
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.tenancy.object_admission import OBJECT_RULES
from pulumi_gpu_cluster.tenancy.pod_admission import POD_RULES

TENANT_GUARD_TYPE: Final = "gpu-cluster:tenancy:TenantGuard"
"""Type token of the component; lives in users' state, so it never changes."""

RULES: Final = (*POD_RULES, *OBJECT_RULES)
"""All that the API server keeps in every tenant's namespace."""


class TenantGuard(KubernetesComponent):
    """Rules that the API server keeps in every tenant's namespace."""

    def __init__(self, name: str, *, opts: pulumi.ResourceOptions | None = None) -> None:
        """Sets the rules up, before any tenant is there.

        Args:
            name: Name of the component.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"rules": [rule.name for rule in RULES]}
        super().__init__(TENANT_GUARD_TYPE, name, props, opts)
        for rule in RULES:
            suffix = rule.name.removeprefix("gpu-cluster-")
            policy = admission_policy(f"{name}-{suffix}-policy", rule, self.child())
            admission_binding(f"{name}-{suffix}-binding", rule, self.child(after=[policy]))
        self.register_outputs(props)
