"""Admission webhooks must not be able to lock a cluster's own namespace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.reading import Fields, at, entries, fields, string, words
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict

_GROUP: Final = "admissionregistration.k8s.io"
_SYSTEM: Final = "kube-system"
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
# Groups whose objects kube-system lives by.
_VITAL: Final = frozenset({"", "*", "apps", "batch", "coordination.k8s.io", "discovery.k8s.io"})


def judge(configuration: Resource, config: Config) -> Iterator[Verdict]:
    """Finds webhooks whose absence stops what kube-system is made of."""
    del config
    for webhook in entries(configuration.props, "webhooks"):
        closed = string(webhook, "failurePolicy") in {"", "Fail"}
        if closed and _is_vital(webhook) and not _spares_the_system(webhook):
            name = string(webhook, "name")
            yield Fault(configuration, f"{name} fails closed on objects of {_SYSTEM}")


def _is_vital(webhook: Fields) -> bool:
    return any(
        _VITAL.intersection(words(rule, "apiGroups")) and string(rule, "scope") != "Cluster"
        for rule in entries(webhook, "rules")
    )


def _spares_the_system(webhook: Fields) -> bool:
    if fields(webhook, "objectSelector"):
        return True  # Only what carries its label.
    selector = fields(webhook, "namespaceSelector")
    if fields(selector, "matchLabels"):
        return fields(selector, "matchLabels").get(_NAME_LABEL) != _SYSTEM
    return any(_excludes(one) for one in entries(selector, "matchExpressions"))


def _excludes(expression: Fields) -> bool:
    operator, values = string(expression, "operator"), words(expression, "values")
    if string(expression, "key") == _NAME_LABEL:
        return (operator == "NotIn") == (_SYSTEM in values)
    # A label that somebody must have put there, or that somebody puts on what is left alone.
    return operator in {"In", "Exists"} or at(expression, "values") is not None


WEBHOOK_FAILS_CLOSED_ON_SYSTEM: Final = ResourceRule(
    id="webhook-fails-closed-on-system",
    description="No webhook can stop pods of kube-system by being away.",
    why="When its own pod is down, no pod starts, its own among them, and the CNI's: the cluster "
    "cannot heal itself.",
    mend="exclude kube-system by namespaceSelector, or set failurePolicy: Ignore",
    severity=Severity.HIGH,
    tags=("operations",),
    reads={
        f"{_GROUP}/MutatingWebhookConfiguration": ("metadata", "webhooks"),
        f"{_GROUP}/ValidatingWebhookConfiguration": ("metadata", "webhooks"),
    },
    judge=judge,
)
