"""Resources as the engine hands them to a policy, made of a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pulumi_policy import (
    PolicyCustomTimeouts,
    PolicyProviderResource,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    StackValidationArgs,
)
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError, unknown_checking_proxy

from gpu_cluster_policies.rule import StackRule, policy_of
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE

if TYPE_CHECKING:
    from gpu_cluster_policies.rule import ResourceRule

UNKNOWN_YET = UNKNOWN_STRING_VALUE
"""What the engine sends in a preview for a value that it cannot know."""

KUBERNETES = "kubernetes:core/v1:"
SITE = "gpu-cluster:index:GpuCluster"


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:lab::gpu-cluster::{token}::{name}"


def resource(
    token: str,
    name: str,
    props: dict[str, Any],
    *,
    cluster: str = "",
    parent: PolicyResource | None = None,
) -> PolicyResource:
    """One resource; `cluster` is the clusterIdentifier of its provider."""
    provider = (
        PolicyProviderResource(
            "pulumi:providers:kubernetes",
            unknown_checking_proxy({"clusterIdentifier": cluster, "kubeconfig": "token: hush"}),
            urn("pulumi:providers:kubernetes", cluster),
            cluster,
        )
        if cluster
        else None
    )
    return PolicyResource(
        token,
        unknown_checking_proxy(props),
        urn(token, name),
        name,
        _OPTIONS,
        provider,
        parent,
        [],
        {},
    )


_OPTIONS = PolicyResourceOptions(
    protect=False,
    ignore_changes=[],
    delete_before_replace=None,
    aliases=[],
    custom_timeouts=PolicyCustomTimeouts(0, 0, 0),
    additional_secret_outputs=[],
)


def pool(
    name: str,
    resources: dict[str, float] | None = None,
    *,
    gpu: str | None = None,
    layout: str | None = None,
) -> PolicyResource:
    props: dict[str, Any] = {"name": name, "resources": resources or {}}
    if gpu is not None:
        props["gpu"] = {"model": gpu, "count": 8.0}
    if layout is not None:
        props["mig"] = {"layout": layout, "strategy": "mixed"}
    return resource(NODE_POOL_TYPE, name, props)


def judged(
    rule: ResourceRule | StackRule,
    resources: list[PolicyResource],
    config: dict[str, Any] | None = None,
) -> tuple[list[tuple[str, str]], str]:
    """Runs a rule as the engine does.

    Returns:
        Each violation as the name of its resource ("" for the stack) and its message; and what
        is judged after the update, as the engine would print it.
    """
    violations: list[tuple[str, str]] = []
    later = ""
    for one in [None] if isinstance(rule, StackRule) else resources:
        try:
            ask(rule, resources, one, config, violations)
        except UnknownValueError as unknown:
            later += unknown.message
    return violations, later


def ask(
    rule: ResourceRule | StackRule,
    resources: list[PolicyResource],
    one: PolicyResource | None,
    config: dict[str, Any] | None,
    violations: list[tuple[str, str]],
) -> None:
    """Asks once, as the engine does: about one resource, or about the stack."""

    def report(message: str, about: str | None = None) -> None:
        # The engine takes a resource policy's violation for one of the resource it asked about.
        urn_of_it = one.urn if one is not None else about or ""
        violations.append((urn_of_it.rpartition("::")[2], message))

    # pulumi_policy leaves the awaitable that `validate` may return untyped.
    policy: Any = policy_of(rule)
    if one is None:
        policy.validate(StackValidationArgs(resources, config), report)
    else:
        args = ResourceValidationArgs(
            one.resource_type, one.props, one.urn, one.name, one.opts, one.provider, config
        )
        policy.validate(args, report)
