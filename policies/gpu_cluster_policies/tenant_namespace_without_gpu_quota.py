"""A tenant's namespace must have a ceiling on every GPU resource that the cluster offers.

A resource without a ceiling is a resource without a limit: whoever forgets the MIG profile of a
new pool gives all of it to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gpu_cluster_policies.pools import NODE_POOL_READS, pools_beside
from gpu_cluster_policies.resources import UNKNOWN, Resource, Unknown, section, text
from gpu_cluster_policies.rule import Config, Later, StackRule, Verdict, Violation
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ID: Final = "tenant-namespace-without-gpu-quota"
_NAMESPACES: Final = ("kubernetes:core/v1:Namespace", "kubernetes:core/v1:NamespacePatch")
_QUOTAS: Final = ("kubernetes:core/v1:ResourceQuota", "kubernetes:core/v1:ResourceQuotaPatch")
_SETTING: Final = "gpuResources"
_ANY: Final = "*"


@dataclass(slots=True)
class _Hard:
    """What the quotas of one namespace name, and what is wrong with the near misses."""

    counted: set[str] = field(default_factory=set[str])
    scoped: set[str] = field(default_factory=set[str])
    unknown: list[str] = field(default_factory=list[str])


def judge(resources: Sequence[Resource], config: Config) -> Iterator[Verdict]:
    """Finds tenant namespaces that some GPU resource of their cluster has no ceiling in."""
    selector: Mapping[str, str] = config.get("tenantSelector") or {TENANT_LABEL: _ANY}
    quotas = _by_namespace(one for one in resources if one.type in _QUOTAS)
    pools = tuple(one for one in resources if one.type in NODE_POOL_READS)
    for pool in pools:
        if section(pool.props, "resources") is UNKNOWN:
            yield Later(f"node pool {pool.name}: which GPU resources it offers is not known yet")
    offered: dict[frozenset[str], Sequence[str] | None] = {}
    homeless: list[str] = []
    for namespace in (one for one in resources if one.type in _NAMESPACES):
        selected = _selected(namespace, selector)
        if selected is None:
            yield Later(f"namespace {namespace.name}: its labels are not known yet")
        if not selected:
            continue
        if namespace.clusters not in offered:
            offered[namespace.clusters] = _offered(namespace, pools, config)
        names = offered[namespace.clusters]
        if names is None:
            homeless.append(namespace.name)
        else:
            yield from _judge_tenant(namespace, names, quotas)
    if homeless:
        yield Violation(
            f"cannot judge the namespaces {', '.join(sorted(homeless))}: the stack registers no "
            "node pool for them and the pack's configuration names no GPU resources; fix: set "
            f"{ID}.{_SETTING} in the file given with --policy-pack-config, for example "
            '["nvidia.com/gpu"] ([] for a cluster without GPUs)'
        )


def _by_namespace(quotas: Iterable[Resource]) -> Mapping[str | Unknown, Sequence[Resource]]:
    places: dict[str | Unknown, list[Resource]] = {}
    for quota in quotas:
        places.setdefault(text(quota.props, "metadata", "namespace") or "default", []).append(quota)
    return places


def _offered(
    namespace: Resource, pools: Sequence[Resource], config: Config
) -> Sequence[str] | None:
    beside = pools_beside(namespace, pools)
    if beside:
        return sorted({name for pool in beside for name in pool.resources})
    configured: Sequence[str] | None = config.get(_SETTING)
    return configured


def _selected(namespace: Resource, selector: Mapping[str, str]) -> bool | None:
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
    reads={
        **dict.fromkeys(_NAMESPACES, ("metadata",)),
        **dict.fromkeys(_QUOTAS, ("metadata", "spec")),
        **NODE_POOL_READS,
    },
    judge=judge,
    settings={
        "tenantSelector": {
            "type": "object",
            "description": f"Labels of a tenant's namespace; {_ANY} stands for any value.",
            "additionalProperties": {"type": "string"},
            "minProperties": 1,
        },
        _SETTING: {
            "type": "array",
            "description": "GPU resources, such as nvidia.com/gpu, of a cluster whose node pools "
            "are not in the stack.",
            "items": {"type": "string"},
        },
    },
)
