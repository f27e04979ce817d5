"""The state that a killed run left: what was under way, and how the next run may go on.

The engine remembers what it had begun as pending operations. An update or a deletion is settled
by reading the resource. A creation is the hard one: the object may exist or not, and the state
has no entry that could be read. So it is given one, as the engine would have written it, and the
reading that follows fills it in or takes it out. (`pulumi refresh --import-pending-creates` says
that it does this; the engine at 3.274.1 forgets the resource instead.)

Everything here takes a state as `pulumi stack export` gives it and returns another.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

RELEASE_TYPE: Final = "kubernetes:helm.sh/v3:Release"
_KUBERNETES: Final = "kubernetes:"
_PATCH: Final = "Patch"
# Their commands are idempotent, providers and components are nothing outside the state.
_MADE_AGAIN: Final = ("command:", "pulumi:", "gpu-cluster:")
# source: github.com/pulumi/pulumi/sdk/v3 v3.274.1, go/common/resource/sig
_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 (marks one, is none)
# source: github.com/pulumi/pulumi-kubernetes/provider/v4 v4.25.0, fieldManagerName
_MANAGER: Final = "pulumi-kubernetes-"

Document = dict[str, Any]
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Settled:
    """A state in which nothing is under way any more.

    Attributes:
        document: The state.
        adopted: URNs of creations that were given an entry, which must be read now.
        made_again: URNs of creations that the next run simply makes again.
        to_read: URNs of updates and deletions, which must be read now.
        orphans: What a creation that replaced something may have left in the cluster.
        strangers: URNs of creations of a kind that nothing here can judge: they stop everything.
    """

    document: Document
    adopted: tuple[str, ...]
    made_again: tuple[str, ...]
    to_read: tuple[str, ...]
    orphans: tuple[str, ...]
    strangers: tuple[str, ...]


def resources(document: Document) -> list[dict[str, Any]]:
    """All resources of a state; none for a stack that never ran."""
    return _list(document, "resources")


def pending(document: Document) -> list[dict[str, Any]]:
    """All operations that were under way, as type and resource."""
    return _list(document, "pending_operations")


def _list(document: Document, name: str) -> list[dict[str, Any]]:
    deployment: dict[str, Any] = document.get("deployment") or {}
    found: list[dict[str, Any]] | None = deployment.get(name)
    return found if found is not None else []


def creations(document: Document) -> Iterator[dict[str, Any]]:
    """Resources that were being created."""
    return (one["resource"] for one in pending(document) if one["type"] == "creating")


def plain_text(value: object) -> str | None:
    """A text of a state that was exported with its secrets; None where there is none."""
    if isinstance(value, Mapping):
        secret = cast("Mapping[str, Any]", value)
        value = json.loads(secret["plaintext"]) if secret.get(_SIGNATURE) == _SECRET else None
    return value if isinstance(value, str) else None


def settle(document: Document, installed: Collection[str]) -> Settled:
    """Works out a state without pending operations.

    Args:
        document: The state.
        installed: URNs of Helm releases that were being created and stand in the cluster.
    """
    settled = copy.deepcopy(document)
    recorded = {one["urn"] for one in resources(document)}
    adopted: list[str] = []
    made_again: list[str] = []
    orphans: list[str] = []
    strangers: list[str] = []
    for resource in creations(document):
        urn, kind = resource["urn"], resource["type"]
        if urn in recorded:
            orphans.append(f"{kind} {_id(resource)}")
        elif (
            (kind == RELEASE_TYPE and urn not in installed)
            or kind.startswith(_MADE_AGAIN)
            or _is_patch(kind)
        ):
            made_again.append(urn)
        elif kind.startswith(_KUBERNETES):
            adopted.append(urn)
            resources(settled).append(_entry(resource))
        else:
            strangers.append(urn)
    to_read = tuple(
        one["resource"]["urn"]
        for one in pending(document)
        if one["type"] != "creating" and one["resource"]["urn"] in recorded
    )
    if settled.get("deployment"):
        settled["deployment"].pop("pending_operations", None)
    return Settled(
        settled,
        tuple(adopted),
        tuple(made_again),
        to_read,
        tuple(orphans),
        tuple(strangers),
    )


def _is_patch(kind: str) -> bool:
    return kind.startswith(_KUBERNETES) and kind.endswith(_PATCH)


def _id(resource: Entry) -> str:
    """What the Kubernetes provider calls an object, from the inputs it checked."""
    inputs = resource["inputs"]
    names: Mapping[str, Any] = inputs if resource["type"] == RELEASE_TYPE else inputs["metadata"]
    namespace = names.get("namespace")
    return f"{namespace}/{names['name']}" if namespace else str(names["name"])


def _entry(resource: Entry) -> dict[str, Any]:
    """The resource as if it had been created a moment ago, and not been read since."""
    entry: dict[str, Any] = {**copy.deepcopy(resource), "id": _id(resource), "outputs": {}}
    if resource["type"] == RELEASE_TYPE:
        # Without them the provider would take the values from the cluster, secrets in plain text.
        inputs = {_SIGNATURE: _SECRET, "plaintext": json.dumps(resource["inputs"])}
        entry["outputs"] = copy.deepcopy(resource["inputs"]) | {"__inputs": inputs}
    return entry


def never_read(document: Document) -> tuple[str, ...]:
    """URNs of resources that an earlier recovery adopted and did not get to read."""
    return tuple(
        one["urn"]
        for one in resources(document)
        if one.get("custom")
        and one["type"].startswith(_KUBERNETES)
        and not (one.get("outputs") or {}).get(
            "status" if one["type"] == RELEASE_TYPE else "metadata"
        )
    )


def with_field_managers(document: Document) -> tuple[Document, tuple[str, ...]]:
    """Gives adopted objects the field manager under which they were made.

    The provider draws a name per object and keeps it in the state; one that it draws anew would
    be in conflict with the first at the next change of a field.

    Returns:
        The state, and the URNs of the resources that were changed.
    """
    changed = copy.deepcopy(document)
    mended: list[str] = []
    for one in resources(changed):
        outputs: dict[str, Any] = one.get("outputs") or {}
        ours = outputs.get("__fieldManager")
        managers = _managers(outputs)
        if isinstance(ours, str) and ours.startswith(_MANAGER) and ours not in managers:
            made_by = [name for name in managers if name.startswith(_MANAGER)]
            if len(made_by) == 1:
                outputs["__fieldManager"] = made_by[0]
                mended.append(one["urn"])
    return changed, tuple(mended)


def _managers(outputs: Entry) -> tuple[str, ...]:
    metadata: Mapping[str, Any] = outputs.get("metadata") or {}
    fields: list[Mapping[str, Any]] | None = metadata.get("managedFields")
    return tuple(one["manager"] for one in fields or () if one.get("operation") == "Apply")
