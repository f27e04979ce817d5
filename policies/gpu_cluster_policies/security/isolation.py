"""What keeps namespaces apart: Pod Security labels, and a wall that lets in what is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import namespace_of
from gpu_cluster_policies.reading import at, entries, fields, string, words
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, Later, ResourceRule, StackRule, Verdict, each
from gpu_cluster_policies.settings import NAMESPACES, TENANT_SELECTOR, is_platform
from gpu_cluster_policies.stack import Stack
from gpu_cluster_policies.tenants import NAMESPACE, selected, selector_of, tenant_namespaces

_ENFORCE: Final = "pod-security.kubernetes.io/enforce"
_LEVELS: Final = frozenset({"privileged", "baseline", "restricted"})
_PRIVILEGED: Final = "privileged"
_POLICY: Final = "networking.k8s.io/NetworkPolicy"
_CLUSTERS_OWN: Final = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def _unlabelled(namespace: Resource, config: Config) -> Iterator[Verdict]:
    name = string(namespace.props, "metadata", "name")
    if name in _CLUSTERS_OWN or namespace.type.endswith("Patch"):
        return
    level = string(fields(namespace.props, "metadata", "labels"), _ENFORCE)
    tenants = selected(namespace, selector_of(config))
    if level not in _LEVELS:
        yield Fault(namespace, f"has no label {_ENFORCE}" if not level else f"enforces {level!r}")
    elif level == _PRIVILEGED and (tenants or not is_platform(name, config)):
        yield Fault(namespace, "lets every pod be privileged")


NAMESPACE_WITHOUT_POD_SECURITY: Final = ResourceRule(
    id="namespace-without-pod-security",
    description="Every namespace enforces a Pod Security level; tenants' never `privileged`.",
    why="A privileged pod sees every GPU of its node, whatever its quota says; and a platform "
    "namespace without the label breaks when the cluster's default is tightened.",
    mend=f"label it {_ENFORCE}=restricted or baseline; privileged only where agents of the "
    "platform run (exemptNamespaces)",
    severity=Severity.HIGH,
    tags=("security", "tenants"),
    reads={NAMESPACE: ("metadata",)},
    judge=_unlabelled,
    settings={
        "tenantSelector": dict(TENANT_SELECTOR),
        "exemptNamespaces": dict(NAMESPACES),
    },
)


def _open(stack: Stack, config: Config) -> Iterator[Verdict]:
    tenants: list[Resource] = []
    for one in tenant_namespaces(stack, config):
        if isinstance(one, Later):
            yield one
        else:
            tenants.append(one)
    yield from each(tenants, lambda tenant: _judge_wall(tenant, stack))


def _judge_wall(tenant: Resource, stack: Stack) -> Iterator[Verdict]:
    name = string(tenant.props, "metadata", "name") or tenant.name
    policies = stack.beside(tenant, _POLICY)
    if not any(namespace_of(one) == name and _denies(one) for one in policies):
        yield Fault(tenant, "no NetworkPolicy selects all of its pods for Ingress")


def _denies(policy: Resource) -> bool:
    """Whether nothing comes in that no rule names: all pods, and no rule that lets in all."""
    spec = fields(policy.props, "spec")
    types = words(spec, "policyTypes") or ("Ingress",)
    everyone = not any(fields(spec, "podSelector", key) for key in ("matchLabels",)) and not at(
        spec, "podSelector", "matchExpressions"
    )
    lets_all_in = any(not entries(rule, "from") for rule in entries(spec, "ingress"))
    return "Ingress" in types and everyone and not lets_all_in


TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY: Final = StackRule(
    id="tenant-namespace-without-default-deny",
    description="In a tenant's namespace nothing comes in that no NetworkPolicy names.",
    why="Without one every pod of the cluster reaches the tenant's notebooks and services.",
    mend="add a NetworkPolicy with podSelector {} and policyTypes [Ingress] to the namespace",
    severity=Severity.HIGH,
    tags=("security", "tenants"),
    reads={NAMESPACE: ("metadata",), _POLICY: ("metadata", "spec")},
    judge=_open,
    settings={"tenantSelector": dict(TENANT_SELECTOR)},
)
