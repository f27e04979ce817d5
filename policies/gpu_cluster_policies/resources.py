"""A resource as the rules see it: plain data, with marks for what is unknown and what is secret.

A preview does not know every value yet, and a secret's value is nobody's to read: both are marks
here, so that a rule decides for each value on its own and no message can ever repeat a secret.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, cast


class Unknown(enum.Enum):
    """The kind of a value that only the update itself will tell."""

    UNKNOWN = "unknown"


class Secret(enum.Enum):
    """The kind of a value that the program marked as secret."""

    SECRET = "secret"  # noqa: S105 - the mark that stands for one


UNKNOWN: Final = Unknown.UNKNOWN
"""A value that only the update itself will tell."""

SECRET: Final = Secret.SECRET
"""A value that is marked as secret, and is therefore not read."""

_KUBERNETES: Final = "kubernetes:"
_PATCH: Final = "Patch"


def sort_of(token: str) -> str:
    """What a resource is, whatever version of its API is used and whoever applies it.

    `kubernetes:core/v1:NamespacePatch` is a core/Namespace; what is not Kubernetes' own keeps its
    type token.
    """
    if not token.startswith(_KUBERNETES):
        return token
    group_and_version, _, kind = token.removeprefix(_KUBERNETES).rpartition(":")
    return f"{group_and_version.rpartition('/')[0]}/{kind.removesuffix(_PATCH)}"


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """One resource of the stack.

    Attributes:
        urn: Its URN.
        type: Its type token, such as kubernetes:core/v1:Namespace.
        props: The part of its properties that rules ask for, as plain data.
        clusters: `clusterIdentifier` of the providers it and everything below it are made with.
            Empty where none says: then it may be in any of the stack's clusters.
        protect: Whether Pulumi refuses to delete it.
        parents: URNs of the components it is inside of, the nearest first; known to stack rules.
    """

    urn: str
    type: str
    props: Mapping[str, object]
    clusters: frozenset[str] = field(default_factory=frozenset[str])
    protect: bool = False
    parents: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The resource's own name, the last part of its URN."""
        return self.urn.rpartition("::")[2]

    @property
    def sort(self) -> str:
        """What it is, without the API's version: core/Namespace."""
        return sort_of(self.type)

    @property
    def shown(self) -> str:
        """How messages call it: kind and name, with the namespace where it is in one."""
        metadata = section(self.props, "metadata")
        where: Mapping[str, object] = {} if metadata is UNKNOWN else metadata
        name, namespace = where.get("name"), where.get("namespace")
        if isinstance(self.props.get("namespace"), str):
            namespace = self.props["namespace"]  # A release has no metadata.
        prefix = f"{namespace}/" if isinstance(namespace, str) else ""
        kind = self.type.rpartition(":")[2].removesuffix(_PATCH)
        return f"{kind} {prefix}{name if isinstance(name, str) and name else self.name}"

    def beside(self, other: Resource) -> bool:
        """Whether both may be in the same cluster."""
        return not self.clusters or not other.clusters or bool(self.clusters & other.clusters)


def section(value: Mapping[str, object], *path: str) -> Mapping[str, object] | Unknown:
    """The mapping at a path; empty where there is none, UNKNOWN where a part is unknown."""
    found = value
    for key in path:
        below = found.get(key)
        if below is UNKNOWN:
            return UNKNOWN
        if not isinstance(below, Mapping):
            return MappingProxyType({})
        found = cast("Mapping[str, object]", below)
    return found


def text(value: Mapping[str, object], *path: str) -> str | Unknown:
    """The text at a path; empty where there is none, UNKNOWN where a part is unknown."""
    *groups, key = path
    fields = section(value, *groups)
    found = UNKNOWN if fields is UNKNOWN else fields.get(key, "")
    return UNKNOWN if found is UNKNOWN else str(found)
