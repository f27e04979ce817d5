"""A rule, what it says of itself, and what it has to say about resources."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pulumi_policy import EnforcementLevel, Severity

from gpu_cluster_policies.reading import NotKnownYetError
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.stack import Stack

IN_FILE: Final = "in the file given with --policy-pack-config"


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that is wrong, said in full.

    Attributes:
        message: The resource, the value, the limit and the way out. Never a secret's value.
        urn: The resource it is about; empty for the stack as a whole.
    """

    message: str
    urn: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with a resource, mended as the rule says.

    Attributes:
        resource: The resource.
        what: What is wrong, with the value and the limit. Never a secret's value.
    """

    resource: Resource
    what: str


@dataclass(frozen=True, slots=True)
class Later:
    """Something that a preview cannot know; the rule judges it when the update has run.

    Attributes:
        message: Which resource, and what is unknown about it.
    """

    message: str


Verdict: TypeAlias = Violation | Fault | Later
Config: TypeAlias = Mapping[str, Any]

EXEMPT: Final = "exempt"
EXEMPT_SETTING: Final[Mapping[str, dict[str, Any]]] = MappingProxyType(
    {
        EXEMPT: {
            "type": "array",
            "description": "Resources that the rule leaves alone, by the pattern of their Pulumi "
            "name (`*` for any characters), each with the reason why.",
            "items": {
                "type": "object",
                "properties": {
                    "resource": {"type": "string", "minLength": 1},
                    "reason": {"type": "string", "minLength": 1},
                },
                "required": ["resource", "reason"],
                "additionalProperties": False,
            },
        }
    }
)
"""The setting that every rule has."""

_MANDATORY: Final = frozenset({Severity.CRITICAL, Severity.HIGH})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every rule tells of itself.

    Attributes:
        id: Name of the policy, in kebab case.
        description: What is demanded, in one sentence.
        why: What happens to a cluster that does not keep it.
        mend: How a violation is mended, to stand after "fix: ".
        severity: How much a violation weighs: high and critical ones stop by default.
        tags: What it is about; the first is its family.
        reads: Sorts of resources it judges, with the top-level properties it reads of each.
        settings: JSON schema of each setting of its own.
    """

    id: str
    description: str
    why: str
    mend: str
    severity: Severity
    tags: tuple[str, ...]
    reads: Mapping[str, Sequence[str]]
    settings: Mapping[str, dict[str, Any]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def level(self) -> EnforcementLevel:
        """The enforcement level where the configuration names none."""
        if self.severity in _MANDATORY:
            return EnforcementLevel.MANDATORY
        return EnforcementLevel.ADVISORY

    @property
    def schema(self) -> dict[str, dict[str, Any]]:
        """Every setting it takes, with those that all rules have."""
        return {**self.settings, **EXEMPT_SETTING}


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
        judge: Finds what is wrong in the stack, given the rule's settings.
    """

    judge: Callable[[Stack, Config], Iterable[Verdict]]


def each(
    resources: Iterable[Resource], judge: Callable[[Resource], Iterable[Verdict]]
) -> Iterator[Verdict]:
    """Judges resources one by one; what is unknown of one puts off that one alone."""
    for resource in resources:
        try:
            yield from judge(resource)
        except NotKnownYetError as unknown:
            yield Later(f"{resource.shown}: {unknown.path} is not known yet")


def verdicts(
    rule: ResourceRule | StackRule, subject: Resource | Stack, config: Config
) -> Iterator[Violation | Later]:
    """What a rule says, as it is told to people, without what the configuration exempts.

    Args:
        rule: The rule.
        subject: A resource for a resource rule, the stack for a stack rule.
        config: The rule's settings, with those that all rules share.
    """
    found: Iterable[Verdict] = ()
    if isinstance(rule, ResourceRule) and isinstance(subject, Resource):
        wanted = rule.judge
        found = each((subject,), lambda one: wanted(one, config))
    elif isinstance(rule, StackRule) and isinstance(subject, Stack):
        found = rule.judge(subject, config)
    patterns = [one["resource"] for one in config.get(EXEMPT, ())]
    for verdict in found:
        if isinstance(verdict, Later):
            yield verdict
            continue
        told = _told(rule, verdict)
        name = told.urn.rpartition("::")[2]
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            yield told


def _told(rule: Rule, verdict: Violation | Fault) -> Violation:
    if isinstance(verdict, Violation):
        return verdict
    resource = verdict.resource
    return Violation(f"{resource.shown}: {verdict.what}; fix: {rule.mend}", resource.urn)


def put_off(later: Sequence[Later]) -> str:
    """How what a preview could not judge is told."""
    return "judged after the update:" + "".join(f"\n  {one.message}" for one in later)
