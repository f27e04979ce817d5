"""What must not happen in passing: data, namespaces or control planes made anew, CRDs gone.

Policies never see the operation or what was there before, so these rules read the preview itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from pulumi_gpu_cluster.changes.preview import Step
from pulumi_gpu_cluster.findings import Finding, error, warning
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL, NODE_POOL_TYPE
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

_CONTROL_PLANE: Final = "gpu-cluster:control-plane:ControlPlane"
_CRD: Final = "apiextensions.k8s.io/CustomResourceDefinition"
_NODE: Final = "core/Node"
_RELEASE: Final = "helm.sh/Release"
_DATA: Final = frozenset(
    {
        "ceph.rook.io/CephBlockPool",
        "ceph.rook.io/CephCluster",
        "ceph.rook.io/CephFilesystem",
        "ceph.rook.io/CephObjectStore",
        "core/PersistentVolume",
        "core/PersistentVolumeClaim",
        "k8s.mariadb.com/MariaDB",
        "postgresql.cnpg.io/Cluster",
    }
)
# Whatever lives in them or under them goes when they are made anew.
_NEVER_ANEW: Final = _DATA | {
    "core/Namespace",
    "kueue.x-k8s.io/ClusterQueue",
    "kueue.x-k8s.io/LocalQueue",
    "scheduling.volcano.sh/Queue",
}
_NODE_WORK: Final = re.compile(r"^gpu-cluster node \S+ (?P<node>[\w.-]+)")


def changes(steps: Sequence[Step], nodes: Collection[str] | None = None) -> tuple[Finding, ...]:
    """Everything that is wrong with a preview.

    Args:
        steps: What the engine would do.
        nodes: Names of the nodes that may be touched; None where nobody said.
    """
    found = [finding for rule in _RULES for finding in rule(steps)]
    return (*found, *_nodes_touched(steps, nodes))


def _mass_replace(steps: Sequence[Step]) -> Iterator[Finding]:
    for step in steps:
        if not step.replaces:
            continue
        provider = step.type.startswith("pulumi:providers:")
        if provider or step.kind in _NEVER_ANEW or _CONTROL_PLANE in step.types:
            why = "and everything that is made with it" if provider else "with all that is in it"
            yield error(
                "mass-replace",
                _path(step),
                f"would be made anew, {why}",
                "find what changed its identity (name, cluster_identifier, kubeconfig) and take "
                "that back",
            )


def _crd_deleted(steps: Sequence[Step]) -> Iterator[Finding]:
    kinds = {step.kind for step in steps if step.op != "create"}
    for step in steps:
        if not step.deletes:
            continue
        if step.kind == _CRD:
            spec = _at(step.old, "spec")
            kind = f"{spec.get('group', '')}/{_at(spec, 'names').get('kind', '')}"
            known = f", some of them in this stack ({kind})" if kind in kinds else ""
            yield error(
                "crd-deleted",
                _path(step),
                f"would go, and with it every object of its kind{known}",
                "keep it: take objects away first, and the definition with teardown",
            )
        elif step.kind == _RELEASE and _chart(step).endswith("-crds"):
            yield error(
                "crd-deleted",
                _path(step),
                f"the chart {_chart(step)} would go, and with its CRDs every object of their kinds",
                "keep it, or mark its CRDs with helm.sh/resource-policy: keep",
            )


def _data_deleted(steps: Sequence[Step]) -> Iterator[Finding]:
    for step in steps:
        if step.op not in {"delete", "discard"}:
            continue
        tenant = step.kind == "core/Namespace" and TENANT_LABEL in _at(
            step.old, "metadata", "labels"
        )
        if step.protected or step.kind in _DATA or tenant:
            held = "protected" if step.protected else "data"
            yield error(
                "protected-data-deleted",
                _path(step),
                f"would be deleted, and is {held}",
                "keep it in the program; a tenant leaves by state: leaving, then removed",
            )


def _layout_changed(steps: Sequence[Step]) -> Iterator[Finding]:
    for step in steps:
        if step.op in {"create", "delete", "same"}:
            continue
        if step.kind == _NODE:
            before, after = (
                _at(state, "metadata", "labels").get(MIG_CONFIG_LABEL)
                for state in (step.old, step.new)
            )
        elif step.type == NODE_POOL_TYPE:
            before, after = (_at(state, "mig").get("layout") for state in (step.old, step.new))
        else:
            continue
        if before != after:
            yield warning(
                "mig-layout-changed",
                _path(step),
                f"MIG layout {before or 'none'} becomes {after or 'none'}",
                "drain the node first: MIG Manager does not move pods, and waits for them in vain",
            )


def _nodes_touched(steps: Sequence[Step], allowed: Collection[str] | None) -> Iterator[Finding]:
    touched = _by_node(steps)
    if allowed is None:
        if len(touched) > 1:
            yield warning(
                "nodes-touched",
                "nodes",
                f"{len(touched)} nodes would be touched: {', '.join(sorted(touched))}",
                "say which may be with --nodes, or change fewer at a time",
            )
        return
    for node in sorted(set(touched) - set(allowed)):
        for step in touched[node]:
            yield error(
                "nodes-touched",
                _path(step),
                f"would touch the node {node}, which is not among --nodes",
                "find what every node has in common that changed, or add the node",
            )


def _by_node(steps: Iterable[Step]) -> Mapping[str, Sequence[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps:
        node = _node_of(step) if step.touches else ""
        if node:
            found.setdefault(node, []).append(step)
    return found


def _node_of(step: Step) -> str:
    state = step.new or step.old
    if step.kind == _NODE:
        return str(_at(state, "metadata").get("name", ""))
    match = _NODE_WORK.match(str(state.get("create", "")))
    return match["node"] if match else ""


def _chart(step: Step) -> str:
    return str(step.old.get("chart", "")).rstrip("/").rpartition("/")[2]


def _at(state: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for key in path:
        below = state.get(key)
        state = cast("Mapping[str, Any]", below) if isinstance(below, Mapping) else {}
    return state


def _path(step: Step) -> str:
    return f"{step.type}::{step.name}"


_RULES: Final[tuple[Callable[[Sequence[Step]], Iterator[Finding]], ...]] = (
    _mass_replace,
    _crd_deleted,
    _data_deleted,
    _layout_changed,
)
