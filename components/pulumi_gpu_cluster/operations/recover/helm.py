"""Settles the Helm releases of a stack in the clusters that its state names."""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pulumi_gpu_cluster.catalog.charts import CHARTS
from pulumi_gpu_cluster.operations.api_server import SECRET, ApiServer
from pulumi_gpu_cluster.operations.kubeconfig import api_server_of, open_api_server
from pulumi_gpu_cluster.operations.recover.releases import Record, judge, records_of
from pulumi_gpu_cluster.operations.recover.state import (
    RELEASE_TYPE,
    Document,
    creations,
    plain_text,
    resources,
)

_LONGEST_PATH: Final = 4096

Report = Callable[[str], None]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What a state knows of one cluster's releases.

    Attributes:
        recorded: Namespace and name of those it has.
        creating: Namespace and name of those that were being created, with their URNs.
        namespaces: Namespaces that the stack made.
    """

    recorded: frozenset[Place]
    creating: Mapping[Place, str]
    namespaces: frozenset[str]


def settle_releases(document: Document, folder: Path, report: Report) -> frozenset[str]:
    """Takes away the records that stand in the next run's way.

    Args:
        document: The state, with its secrets in plain text.
        folder: Where the program runs, which kubeconfig paths are relative to.
        report: Gets a line for each thing done or found.

    Returns:
        URNs of releases that were being created and stand in the cluster.

    Raises:
        AccessError: A cluster refuses or cannot be reached.
    """
    installed: set[str] = set()
    for provider in _providers(document):
        known = _known(document, provider["reference"])
        names = sorted({name for _, name in (*known.recorded, *known.creating)} | set(CHARTS))
        server = _server(provider["inputs"], folder)
        for place, records in _releases(server, names):
            installed |= _settle(server, place, records, known, report)
    return frozenset(installed)


def _settle(
    server: ApiServer, place: Place, records: list[Record], known: Known, report: Report
) -> set[str]:
    namespace, name = place
    verdict = judge(records, in_state=place in known.recorded)
    urn = known.creating.get(place)
    # A run after the killed one has been refused by Helm, and its state has forgotten what the
    # killed one had begun: an install that never came to an end, in a namespace of this stack.
    forgotten = namespace in known.namespaces and not verdict.installed
    if place not in known.recorded and urn is None and not forgotten:
        report(
            f"Helm release {name} in namespace {namespace} is not this stack's, and was left "
            f"alone; if the site installs it too: remove it (helm uninstall {name} --namespace "
            f"{namespace}), or adopt it (pulumi import {RELEASE_TYPE} NAME {namespace}/{name}, "
            "with the name and the --parent that pulumi preview shows)"
        )
        return set()
    for record in verdict.remove:
        server.persist(
            functools.partial(server.delete, SECRET, record.secret, record.namespace),
            f"remove revision {record.revision} of Helm release {name}",
        )
        report(
            f"Helm release {name} in namespace {namespace}: removed the record of revision "
            f"{record.revision}, {record.status}; "
            + ("the one before it stands" if verdict.installed else "the next run installs it anew")
        )
    return {urn} if urn is not None and verdict.installed else set()


def _providers(document: Document) -> Iterator[dict[str, Any]]:
    """Kubernetes providers that something of the state was made with."""
    entries = (*resources(document), *creations(document))
    used = {one.get("provider") for one in entries}
    for one in resources(document):
        if one["type"] == "pulumi:providers:kubernetes":
            reference = f"{one['urn']}::{one['id']}"
            if reference in used:
                yield {"reference": reference, "inputs": one["inputs"]}


def _known(document: Document, provider: str) -> Known:
    there = [one for one in resources(document) if one.get("provider") == provider]
    coming = [one for one in creations(document) if one.get("provider") == provider]
    return Known(
        frozenset(_place(one) for one in there if one["type"] == RELEASE_TYPE),
        {_place(one): one["urn"] for one in coming if one["type"] == RELEASE_TYPE},
        frozenset(one["id"] for one in there if one["type"] == "kubernetes:core/v1:Namespace"),
    )


def _place(release: Mapping[str, Any]) -> Place:
    inputs = release["inputs"]
    return str(inputs.get("namespace") or "default"), str(inputs["name"])


def _server(inputs: Mapping[str, Any], folder: Path) -> ApiServer:
    kubeconfig, context = plain_text(inputs.get("kubeconfig")), plain_text(inputs.get("context"))
    if kubeconfig is None:
        return open_api_server(os.environ, sys.stdin, context)
    # The provider takes a path as well as the content.
    path = (
        folder / kubeconfig if "\n" not in kubeconfig and len(kubeconfig) < _LONGEST_PATH else None
    )
    if path is not None and path.is_file():
        return api_server_of(path.read_text(), f"the kubeconfig {path}", path, context)
    return api_server_of(kubeconfig, "the kubeconfig in the state", context=context)


def _releases(server: ApiServer, names: list[str]) -> Iterator[tuple[Place, list[Record]]]:
    labels = {"owner": "helm", "name": names}
    found = server.persist(lambda: list(server.list(SECRET, labels)), "read the Helm releases")
    records = records_of(found)
    return (
        (place, list(group))
        for place, group in itertools.groupby(records, lambda one: (one.namespace, one.name))
    )
