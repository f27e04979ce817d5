"""A resource as the rules see it: plain data, with a mark where a preview cannot know yet.

The engine hands policies proxies that raise on every unknown value, and one raised error turns a
whole mandatory rule into one advisory line. Rules therefore read a copy in which unknown values
are `UNKNOWN`, and decide for each resource on their own.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from pulumi_policy.proxy import UnknownValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Unknown(enum.Enum):
    """The kind of a value that only the update itself will tell."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
"""A value that only the update itself will tell."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of the stack.

    Attributes:
        urn: Its URN.
        type: Its type token, such as kubernetes:core/v1:Namespace.
        props: The part of its properties that the rule asked for, as plain data.
        clusters: `clusterIdentifier` of the providers it and everything below it are made with.
            Empty where none says: then it may be in any of the stack's clusters.
    """

    urn: str
    type: str
    props: Mapping[str, object]
    clusters: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def name(self) -> str:
        """The resource's own name, the last part of its URN."""
        return self.urn.rpartition("::")[2]

    def beside(self, other: Resource) -> bool:
        """Whether both may be in the same cluster."""
        return not self.clusters or not other.clusters or bool(self.clusters & other.clusters)


def plain(props: Mapping[str, object], wanted: Iterable[str]) -> Mapping[str, object]:
    """Copies the wanted top-level properties; the others, secrets among them, stay unread.

    Args:
        props: Properties as the engine gives them.
        wanted: Names of the top-level properties a rule reads.
    """
    # Asking a proxy whether it has a key would read the value, and raise on an unknown one.
    there = set(props).intersection(wanted)
    return MappingProxyType({name: _read(props.__getitem__, name) for name in there})


def _read(get: Callable[[Any], object], key: object) -> object:
    try:
        return _copied(get(key))
    except UnknownValueError:
        return UNKNOWN


def _copied(value: object) -> object:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, object]", value)
        return MappingProxyType({key: _read(mapping.__getitem__, key) for key in mapping})
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = cast("Sequence[object]", value)
        return tuple(_read(items.__getitem__, index) for index in range(len(items)))
    return value


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
