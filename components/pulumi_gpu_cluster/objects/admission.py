"""Rules that the API server itself keeps: what it refuses, and what it says then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_kubernetes.admissionregistration.v1 import (
    MatchConditionArgs,
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


@dataclass(frozen=True, slots=True)
class AdmissionRule:
    """One rule; expressions are in CEL.

    Attributes:
        name: Name of the objects in the cluster.
        resources: What it is about, as API group and plural name.
        operations: What it looks at being done.
        namespace_label: Only namespaces with this label; all, and what is outside of namespaces,
            where empty.
        condition: Which objects it is about.
        requires: What must hold for them.
        message: What is said otherwise, as an expression that gives a text.
        on_error: What happens where an expression cannot be evaluated.
    """

    name: str
    resources: tuple[tuple[str, str], ...]
    operations: tuple[Literal["CREATE", "UPDATE", "DELETE"], ...]
    requires: str
    message: str
    on_error: Literal["Fail", "Ignore"]
    namespace_label: str = ""
    condition: str = ""


def admission_policy(
    name: str, rule: AdmissionRule, opts: pulumi.ResourceOptions
) -> ValidatingAdmissionPolicy:
    """The rule, which holds once it is bound."""
    return ValidatingAdmissionPolicy(
        name,
        metadata=ObjectMetaArgs(name=rule.name),
        spec=ValidatingAdmissionPolicySpecArgs(
            failure_policy=rule.on_error,
            match_constraints=_constraints(rule),
            match_conditions=(
                [MatchConditionArgs(name="concerned", expression=rule.condition)]
                if rule.condition
                else None
            ),
            validations=[ValidationArgs(expression=rule.requires, message_expression=rule.message)],
        ),
        opts=opts,
    )


def admission_binding(
    name: str, rule: AdmissionRule, opts: pulumi.ResourceOptions
) -> ValidatingAdmissionPolicyBinding:
    """Makes the rule hold in the whole cluster."""
    return ValidatingAdmissionPolicyBinding(
        name,
        metadata=ObjectMetaArgs(name=rule.name),
        spec=ValidatingAdmissionPolicyBindingSpecArgs(
            policy_name=rule.name, validation_actions=["Deny"]
        ),
        opts=opts,
    )


def _constraints(rule: AdmissionRule) -> MatchResourcesArgs:
    here = [LabelSelectorRequirementArgs(key=rule.namespace_label, operator="Exists")]
    return MatchResourcesArgs(
        namespace_selector=(
            LabelSelectorArgs(match_expressions=here) if rule.namespace_label else None
        ),
        resource_rules=[
            NamedRuleWithOperationsArgs(
                api_groups=[group],
                api_versions=["*"],
                operations=list(rule.operations),
                resources=[resource],
            )
            for group, resource in rule.resources
        ],
    )
