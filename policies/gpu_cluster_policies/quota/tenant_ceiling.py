"""A tenant's namespace must have a ceiling on every GPU resource that the cluster offers.

A resource without a ceiling is a resource without a limit: whoever forgets the MIG profile of a
new pool gives all of it to everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import NODE_POOL_READS, offered
from gpu_cluster_policies.resources import UNKNOWN, Resource, Unknown, section, text
from gpu_cluster_policies.rule import Config, Later, StackRule, Verdict, Violation
from gpu_cluster_policies.settings import GPU_RESOURCES, POOLS, TENANT_SELECTOR, cannot_judge
from gpu_cluster_policies.stack import Stack
from gpu_cluster_policies.tenants import NAMESPACE, selected, selector_of
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE

ID: Final = "tenant-namespace-without-gpu-quota"
_QUOTA: Final = "core/ResourceQuota"


@dataclass(slots=True)
class _Hard:
    """What the quotas of one namespace name, and what is wrong with the near misses."""

    counted: set[str] = field(default_factory=set[str])
    scoped: set[str] = field(default_factory=set[str])
    unknown: list[str] = field(default_factory=list[str])


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds tenant namespaces that some GPU resource of their cluster has no ceiling in."""
    selector = selector_of(config)
    quotas = _by_namespace(stack.of(_QUOTA))
    for pool in stack.of(NODE_POOL_TYPE):
        if section(pool.props, "resources") is UNKNOWN:
            yield Later(f"node pool {pool.name}: which GPU resources it offers is not known yet")
    known: dict[frozenset[str], Sequence[str] | None] = {}
    homeless: list[str] = []
    for namespace in stack.of(NAMESPACE):
        chosen = selected(namespace, selector)
        if chosen is None:
            yield Later(f"namespace {namespace.name}: its labels are not known yet")
        if not chosen:
            continue
        if namespace.clusters not in known:
            known[namespace.clusters] = offered(namespace, stack, config)
        names = known[namespace.clusters]
        if names is None:
            homeless.append(namespace.name)
        else:
            yield from _judge_tenant(namespace, names, quotas)
    if homeless:
        yield Violation(
            cannot_judge(
                f"the namespaces {', '.join(sorted(homeless))}",
                "the stack registers no node pool for them and the pack's configuration names no "
                "GPU resources",
                "gpuResources",
                '["nvidia.com/gpu"] ([] for a cluster without GPUs)',
            )
        )


def _by_namespace(quotas: Iterable[Resource]) -> Mapping[str | Unknown, Sequence[Resource]]:
    places: dict[str | Unknown, list[Resource]] = {}
    for quota in quotas:
        places.setdefault(text(quota.props, "metadata", "namespace") or "default", []).append(quota)
    return places


def _judge_tenant(
    tenant: Resource,
    offered: Sequence[str],
    quotas: Mapping[str | Unknown, Sequence[Resource]],
) -> Iterator[Verdict]:
    namespace = text(tenant.props, "metadata", "name")
    if namespace is UNKNOWN:
        yield Later(f"namespace {tenant.name}: its name in the cluster is not known yet")
        return
    somewhere = (*quotas.get(namespace, ()), *quotas.get(UNKNOWN, ()))
    hard = _hard(quota for quota in somewhere if quota.beside(tenant))
    missing = [name for name in offered if f"requests.{name}" not in hard.counted]
    if missing and hard.unknown:
        yield Later(
            f"namespace {namespace}: whether the ResourceQuota {', '.join(hard.unknown)} names "
            f"{_listed(missing)} is not known yet"
        )
    elif missing:
        yield Violation(
            f"namespace {namespace}: no ResourceQuota limits {_listed(missing)}, so its pods may "
            f"take all there is{_near_miss(missing, hard)}; fix: name each in spec.hard of a "
            "ResourceQuota of this namespace (0 where the tenant gets none)",
            tenant.urn,
        )


def _listed(missing: Iterable[str]) -> str:
    return ", ".join(f"requests.{name}" for name in missing)


def _near_miss(missing: Iterable[str], hard: _Hard) -> str:
    for name in missing:
        if f"requests.{name}" in hard.scoped:
            return f" (requests.{name} stands in a quota with scopes, which binds only some pods)"
        for key in (f"limits.{name}", name):
            if key in hard.counted:
                return f" ({key} is named, but the API server never counts it)"
    return ""


def _hard(quotas: Iterable[Resource]) -> _Hard:
    hard = _Hard()
    for quota in quotas:
        spec, names = section(quota.props, "spec"), section(quota.props, "spec", "hard")
        if (
            text(quota.props, "metadata", "namespace") is UNKNOWN
            or spec is UNKNOWN
            or names is UNKNOWN
        ):
            hard.unknown.append(quota.name)
        elif spec.get("scopes") or spec.get("scopeSelector"):
            hard.scoped.update(names)
        else:
            hard.counted.update(names)
    return hard


TENANT_NAMESPACE_WITHOUT_GPU_QUOTA: Final = StackRule(
    id=ID,
    description="A tenant's namespace has a ceiling on every GPU resource of its cluster.",
    why="A resource without a ceiling is a resource without a limit: whoever forgets the MIG "
    "profile of a new pool gives all of it to everybody.",
    mend="name each in spec.hard of a ResourceQuota of the namespace",
    severity=Severity.HIGH,
    tags=("quota", "tenants"),
    reads={NAMESPACE: ("metadata",), _QUOTA: ("metadata", "spec"), **NODE_POOL_READS},
    judge=judge,
    settings={
        "tenantSelector": dict(TENANT_SELECTOR),
        "gpuResources": dict(GPU_RESOURCES),
        "pools": dict(POOLS),
    },
)
