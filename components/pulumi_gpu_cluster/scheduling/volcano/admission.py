"""Keeps tenants to their own queues.

Volcano lets a job name any queue, so without this a tenant could run on another's guarantee.
"""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.admissionregistration.v1 import (
    MatchResourcesArgs,
    NamedRuleWithOperationsArgs,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    ValidatingAdmissionPolicyBindingSpecArgs,
    ValidatingAdmissionPolicySpecArgs,
    ValidationArgs,
)
from pulumi_kubernetes.meta.v1 import (
    LabelSelectorArgs,
    LabelSelectorRequirementArgs,
    ObjectMetaArgs,
)

from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

_NAME: Final = "gpu-cluster-own-queues"
_TENANT: Final = f"namespaceObject.metadata.labels['{TENANT_LABEL}']"


def own_queues(name: str, opts: pulumi.ResourceOptions) -> ValidatingAdmissionPolicy:
    """In a tenant's namespace only that tenant's queues may be named, by jobs and pod groups."""
    return ValidatingAdmissionPolicy(
        name,
        metadata=ObjectMetaArgs(name=_NAME),
        spec=ValidatingAdmissionPolicySpecArgs(
            failure_policy="Fail",
            match_constraints=MatchResourcesArgs(
                namespace_selector=LabelSelectorArgs(
                    match_expressions=[
                        LabelSelectorRequirementArgs(key=TENANT_LABEL, operator="Exists")
                    ]
                ),
                resource_rules=[
                    NamedRuleWithOperationsArgs(
                        api_groups=[group],
                        api_versions=["*"],
                        operations=["CREATE", "UPDATE"],
                        resources=[resource],
                    )
                    for group, resource in (
                        ("batch.volcano.sh", "jobs"),
                        ("scheduling.volcano.sh", "podgroups"),
                    )
                ],
            ),
            validations=[
                ValidationArgs(
                    # Neither tenants' nor pools' names have dots.
                    expression=f"has(object.spec.queue) && "
                    f"object.spec.queue.startsWith({_TENANT} + '.')",
                    message_expression=f"'the queue must be one of this tenant: ' + {_TENANT} + "
                    "'.<pool>'",
                )
            ],
        ),
        opts=opts,
    )


def enforced(name: str, opts: pulumi.ResourceOptions) -> ValidatingAdmissionPolicyBinding:
    """Makes the policy hold."""
    return ValidatingAdmissionPolicyBinding(
        name,
        metadata=ObjectMetaArgs(name=_NAME),
        spec=ValidatingAdmissionPolicyBindingSpecArgs(
            policy_name=_NAME, validation_actions=["Deny"]
        ),
        opts=opts,
    )
