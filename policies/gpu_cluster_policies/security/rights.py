"""Who may do what: no cluster-admin for tenants, no wildcards, no hand on queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import namespace_of
from gpu_cluster_policies.reading import entries, string, words
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.settings import NAMESPACES, is_platform

_RBAC: Final = "rbac.authorization.k8s.io"
_ADMIN: Final = "cluster-admin"
_ADMINS_ALREADY: Final = frozenset({"system:masters"})
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection", "*"})
_QUEUES: Final = frozenset(
    {"clusterqueues", "localqueues", "workloads", "resourceflavors", "cohorts", "queues", "*"}
)
_QUEUE_GROUPS: Final = frozenset({"kueue.x-k8s.io", "scheduling.volcano.sh", "*"})
_ADMIN_GROUPS: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Groups and users who administer whole clusters.",
    "items": {"type": "string"},
}


def _everything(binding: Resource, config: Config) -> Iterator[Verdict]:
    if string(binding.props, "roleRef", "name") != _ADMIN:
        return
    allowed = {*_ADMINS_ALREADY, *config.get("adminGroups", ())}
    for subject in entries(binding.props, "subjects"):
        kind, name = string(subject, "kind"), string(subject, "name")
        if kind == "ServiceAccount":
            namespace = string(subject, "namespace") or namespace_of(binding)
            if not is_platform(namespace, config):
                yield Fault(binding, f"gives {_ADMIN} to ServiceAccount {namespace}/{name}")
        elif name not in allowed:
            yield Fault(binding, f"gives {_ADMIN} to {kind} {name}")


CLUSTER_ADMIN_TO_TENANTS: Final = ResourceRule(
    id="cluster-admin-to-tenants",
    description="Only named administrators hold cluster-admin.",
    why="Who holds it is past every quota and every wall between tenants; in a single namespace it "
    "still lifts that namespace's quota.",
    mend="bind a role with the rights that are needed, or name administrators in adminGroups",
    severity=Severity.CRITICAL,
    tags=("security", "rights"),
    reads={
        f"{_RBAC}/ClusterRoleBinding": ("metadata", "roleRef", "subjects"),
        f"{_RBAC}/RoleBinding": ("metadata", "roleRef", "subjects"),
    },
    judge=_everything,
    settings={"adminGroups": dict(_ADMIN_GROUPS), "exemptNamespaces": dict(NAMESPACES)},
)


def _wild(role: Resource, config: Config) -> Iterator[Verdict]:
    if role.sort.endswith("/Role") and is_platform(namespace_of(role), config):
        return
    for index, rule in enumerate(entries(role.props, "rules")):
        wild = [key for key in ("apiGroups", "resources", "verbs") if "*" in words(rule, key)]
        if wild:
            yield Fault(role, f"rules[{index}] has * in {', '.join(wild)}")


RIGHTS_WITH_WILDCARD: Final = ResourceRule(
    id="rights-with-wildcard",
    description="Roles name groups, resources and verbs one by one.",
    why="A wildcard gives what does not exist yet too: the next operator's kinds, and secrets.",
    mend="list what is needed",
    severity=Severity.HIGH,
    tags=("security", "rights"),
    reads={f"{_RBAC}/ClusterRole": ("metadata", "rules"), f"{_RBAC}/Role": ("metadata", "rules")},
    judge=_wild,
    settings={"exemptNamespaces": dict(NAMESPACES)},
)


def _queues(role: Resource, config: Config) -> Iterator[Verdict]:
    if is_platform(namespace_of(role), config):
        return
    for index, rule in enumerate(entries(role.props, "rules")):
        groups, resources = set(words(rule, "apiGroups")), set(words(rule, "resources"))
        named = sorted(resources & _QUEUES)
        if groups & _QUEUE_GROUPS and named and _WRITES & set(words(rule, "verbs")):
            yield Fault(role, f"rules[{index}] lets a namespace write {', '.join(named)}")


TENANT_MAY_WRITE_QUEUES: Final = ResourceRule(
    id="tenant-may-write-queues",
    description="No role inside a namespace writes queues or what was admitted to them.",
    why="A LocalQueue may point at any ClusterQueue: who writes one takes another's share.",
    mend="leave get, list and watch",
    severity=Severity.HIGH,
    tags=("security", "rights", "quota"),
    reads={f"{_RBAC}/Role": ("metadata", "rules")},
    judge=_queues,
    settings={"exemptNamespaces": dict(NAMESPACES)},
)
