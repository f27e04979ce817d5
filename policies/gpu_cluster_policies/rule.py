"""A rule and what it has to say, and the thin way from there to pulumi_policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from pulumi_policy import (
    PolicyConfigSchema,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UnknownValueError

from gpu_cluster_policies.resources import UNKNOWN, Resource, plain

_IDENTIFIER = "clusterIdentifier"


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that is wrong.

    Attributes:
        message: The resource, the value, the limit and the way out. Never a secret's value.
        urn: The resource it is about; empty for the stack as a whole.
    """

    message: str
    urn: str = ""


@dataclass(frozen=True, slots=True)
class Later:
    """Something that a preview cannot know; the rule judges it when the update has run.

    Attributes:
        message: Which resource, and what is unknown about it.
    """

    message: str


Verdict: TypeAlias = Violation | Later
Config: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every rule tells of itself.

    Attributes:
        id: Name of the policy, in kebab case.
        description: What is demanded, in one sentence.
        reads: Type tokens it judges, with the top-level properties it reads of each.
        settings: JSON schema of each setting of the rule.
    """

    id: str
    description: str
    reads: Mapping[str, Sequence[str]]
    settings: Mapping[str, dict[str, Any]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRule(Rule):
    """A rule about one resource at a time: the engine asks before it creates or updates it.

    Attributes:
        judge: Finds what is wrong with one resource, given the rule's settings.
    """

    judge: Callable[[Resource, Config], Iterable[Verdict]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRule(Rule):
    """A rule about resources that belong together: the engine asks once, after the last step.

    Attributes:
        judge: Finds what is wrong among all resources of these types, given the rule's settings.
    """

    judge: Callable[[Sequence[Resource], Config], Iterable[Verdict]]


class JudgedAfterTheUpdate(  # noqa: N818 (it is no error: nothing failed)
    UnknownValueError
):
    """Carries `Later` verdicts through the one door that never blocks a preview.

    pulumi_policy gives a policy a single enforcement level; only an unknown value is reported as
    advice. What was reported before it was raised stays reported.
    """

    def __init__(self, later: Sequence[Later]) -> None:
        super().__init__(UNKNOWN_OBJECT_VALUE, [])
        self.message = "judged after the update:" + "".join(f"\n  {one.message}" for one in later)


def policy_of(rule: ResourceRule | StackRule) -> ResourceValidationPolicy | StackValidationPolicy:
    """The rule as a policy that the engine can run."""
    schema = PolicyConfigSchema(dict(rule.settings)) if rule.settings else None
    if isinstance(rule, ResourceRule):
        return ResourceValidationPolicy(
            rule.id, rule.description, _resource_judge(rule), config_schema=schema
        )
    return StackValidationPolicy(
        rule.id, rule.description, _stack_judge(rule), config_schema=schema
    )


def _resource_judge(
    rule: ResourceRule,
) -> Callable[[ResourceValidationArgs, ReportViolation], None]:
    def judge(args: ResourceValidationArgs, report: ReportViolation) -> None:
        wanted = rule.reads.get(args.resource_type)
        if wanted is not None:
            resource = Resource(args.urn, args.resource_type, plain(args.props, wanted))
            _say(rule.judge(resource, args.get_config()), report)

    return judge


def _stack_judge(rule: StackRule) -> Callable[[StackValidationArgs, ReportViolation], None]:
    def judge(args: StackValidationArgs, report: ReportViolation) -> None:
        clusters = _clusters(args.resources)
        resources = tuple(
            Resource(
                one.urn,
                one.resource_type,
                _outputs(one, rule.reads[one.resource_type]),
                frozenset(clusters.get(one.urn, ())),
            )
            for one in args.resources
            if one.resource_type in rule.reads
        )
        _say(rule.judge(resources, args.get_config()), report)

    return judge


def _outputs(one: PolicyResource, wanted: Sequence[str]) -> Mapping[str, object]:
    """What is wanted of a resource's outputs.

    While the way to the cluster is unknown, a preview gives every object of it no outputs at all.
    """
    if one.resource_type.startswith("kubernetes:") and not one.props:
        return dict.fromkeys(wanted, UNKNOWN)
    return plain(one.props, wanted)


def _clusters(resources: Iterable[PolicyResource]) -> Mapping[str, set[str]]:
    """Which clusters each resource has to do with, by its URN; a component by what is below it.

    Different providers may lead to one cluster, so only what they say of it counts.
    """
    clusters: dict[str, set[str]] = {}
    for one in resources:
        if one.provider is None:
            continue
        cluster = plain(one.provider.props, [_IDENTIFIER]).get(_IDENTIFIER)
        here: PolicyResource | None = one if isinstance(cluster, str) else None
        while here is not None:
            clusters.setdefault(here.urn, set()).add(str(cluster))
            here = here.parent
    return clusters


def _say(verdicts: Iterable[Verdict], report: ReportViolation) -> None:
    later: list[Later] = []
    for verdict in verdicts:
        if isinstance(verdict, Later):
            later.append(verdict)
        else:
            report(verdict.message, verdict.urn or None)
    if later:
        raise JudgedAfterTheUpdate(later)
