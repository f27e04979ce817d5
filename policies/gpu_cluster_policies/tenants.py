"""Which namespaces are tenants'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpu_cluster_policies.resources import UNKNOWN, Resource, section
from gpu_cluster_policies.rule import Config, Later
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

NAMESPACE: Final = "core/Namespace"
_ANY: Final = "*"


def selector_of(config: Config) -> Mapping[str, str]:
    """Labels of a tenant's namespace: the configured ones, else that of our components."""
    configured: Mapping[str, str] | None = config.get("tenantSelector")
    return configured or {TENANT_LABEL: _ANY}


def selected(namespace: Resource, selector: Mapping[str, str]) -> bool | None:
    """Whether a namespace is a tenant's; None where its labels are not known yet."""
    labels = section(namespace.props, "metadata", "labels")
    if labels is UNKNOWN:
        return None
    undecided = False
    for key, wanted in selector.items():
        if key not in labels:
            return False
        value = labels[key]
        if wanted in (_ANY, value):
            continue
        if value is not UNKNOWN:
            return False
        undecided = True
    return None if undecided else True


def tenant_namespaces(stack: Stack, config: Config) -> Iterator[Resource | Later]:
    """Tenants' namespaces, and word of those whose labels a preview does not know."""
    selector = selector_of(config)
    for namespace in stack.of(NAMESPACE):
        chosen = selected(namespace, selector)
        if chosen is None:
            yield Later(f"namespace {namespace.name}: its labels are not known yet")
        elif chosen:
            yield namespace
