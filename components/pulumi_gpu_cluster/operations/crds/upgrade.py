"""Brings CRDs that are in the cluster to what a chart says, and no others.

They are replaced and not merged: a field that a new version no longer has would stay in a merge.
What is the same already is found by asking the API server what would come of it, since it fills
in defaults that no chart writes. Nothing is ever deleted.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from pulumi_gpu_cluster.operations.api_server import ApiServer, Kind, NotThereError

CRD: Final = Kind(
    "apiextensions.k8s.io",
    "v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
_MARKS: Final = ("annotations", "labels")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one CRD.

    Attributes:
        name: Its name.
        change: `created`, `upgraded` or `unchanged`; with a dry run, what would become of it.
    """

    name: str
    change: str


def upgrade(
    server: ApiServer, wanted: Mapping[str, Mapping[str, Any]], *, dry_run: bool
) -> list[Outcome]:
    """Brings a chart's CRDs up, where the chart is installed.

    Where none of them is there, the chart is not installed yet, and Helm brings them itself.

    Args:
        server: The cluster.
        wanted: The CRDs of the chart, by name.
        dry_run: Only say what would be done.

    Returns:
        What became of each; nothing where the chart is not installed.

    Raises:
        AccessError: The cluster refused. One that takes away a version in which objects are
            stored is refused, and changes nothing.
    """
    there = {name: found for name in wanted if (found := _live(server, name)) is not None}
    if not there:
        return []
    return [
        Outcome(name, _brought(server, crd, there.get(name), dry_run=dry_run))
        for name, crd in sorted(wanted.items())
    ]


def missing(wanted: Iterable[str], found: Iterable[str]) -> list[str]:
    """CRDs that the catalogue names and the chart does not have."""
    return sorted(set(wanted) - set(found))


def _brought(
    server: ApiServer, crd: Mapping[str, Any], live: dict[str, Any] | None, *, dry_run: bool
) -> str:
    name = str(crd["metadata"]["name"])
    if live is None:
        if not dry_run:
            server.persist(lambda: server.create(CRD, _plain(crd)), f"create CRD {name}")
        return "created"

    def replaced() -> str:
        now = _live(server, name) or live
        body = _laid_over(now, crd)
        would = server.replace(CRD, body, dry_run=True)
        if would["spec"] == now["spec"] and _marks(would) == _marks(now):
            return "unchanged"
        if not dry_run:
            server.replace(CRD, body)
        return "upgraded"

    return server.persist(replaced, f"upgrade CRD {name}")


def _live(server: ApiServer, name: str) -> dict[str, Any] | None:
    try:
        return server.persist(lambda: server.get(CRD, name), f"read CRD {name}")
    except NotThereError:
        return None


def _plain(crd: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in crd.items() if key not in {"apiVersion", "kind", "status"}}


def _laid_over(live: Mapping[str, Any], crd: Mapping[str, Any]) -> dict[str, Any]:
    """The chart's CRD in place of the live one: marks of others and an injected CA stay."""
    metadata: dict[str, Any] = copy.deepcopy(dict(live["metadata"]))
    metadata.pop("managedFields", None)
    for mark in _MARKS:
        if crd["metadata"].get(mark):
            metadata[mark] = {**(metadata.get(mark) or {}), **crd["metadata"][mark]}
    spec: dict[str, Any] = copy.deepcopy(dict(crd["spec"]))
    injected = _client_config(live["spec"]).get("caBundle")
    if injected is not None and _client_config(spec):
        _client_config(spec).setdefault("caBundle", injected)
    return {"metadata": metadata, "spec": spec, "status": live.get("status", {})}


def _client_config(spec: Mapping[str, Any]) -> dict[str, Any]:
    """How the API server calls who converts between versions; empty where nobody does."""
    found: Any = spec
    for key in ("conversion", "webhook", "clientConfig"):
        found = found.get(key) or {}
    return cast("dict[str, Any]", found)


def _marks(crd: Mapping[str, Any]) -> list[object]:
    return [crd["metadata"].get(mark) or {} for mark in _MARKS]
