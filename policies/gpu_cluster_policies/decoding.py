"""From the engine's messages to resources: only what rules read, and no secret's value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi_policy import proxy

from gpu_cluster_policies.resources import SECRET, UNKNOWN, Resource, sort_of
from gpu_cluster_policies.secret_keys import is_secret_key, secret_shape

_A_FILE: Final = "(a file)"
_IDENTIFIER: Final = "clusterIdentifier"
_KUBERNETES: Final = "kubernetes:"
# source: pulumi/pulumi sdk/go/common/resource/properties.go, SigKey and SecretSig
_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - marks one
_UNKNOWN_TEXTS: Final = frozenset(
    {
        proxy.UNKNOWN_BOOLEAN_VALUE,
        proxy.UNKNOWN_NUMBER_VALUE,
        proxy.UNKNOWN_STRING_VALUE,
        proxy.UNKNOWN_ARRAY_VALUE,
        proxy.UNKNOWN_ASSET_VALUE,
        proxy.UNKNOWN_ARCHIVE_VALUE,
        proxy.UNKNOWN_OBJECT_VALUE,
    }
)


def decoded(properties: Struct, wanted: Collection[str]) -> Mapping[str, object]:
    """The wanted top-level properties as plain data.

    Args:
        properties: As the engine sent them.
        wanted: Names of those that some rule reads; the others are not looked at.
    """
    there = properties.fields
    return {name: _plain(there[name], name) for name in wanted if name in there}


def _plain(value: Value, key: str = "", *, marked: bool = False) -> object:
    kind = value.WhichOneof("kind")
    found: object = None
    if kind == "string_value":
        text = value.string_value
        hidden = marked and (is_secret_key(key) or secret_shape(text))
        found = SECRET if hidden else UNKNOWN if text in _UNKNOWN_TEXTS else text
    elif kind == "struct_value":
        fields = value.struct_value.fields
        if _SIGNATURE in fields:
            return _signed(fields, key)
        found = {name: _plain(below, name, marked=marked) for name, below in fields.items()}
    elif kind == "list_value":
        found = tuple(_plain(below, key, marked=marked) for below in value.list_value.values)
    elif kind == "number_value":
        found = value.number_value
    elif kind == "bool_value":
        found = value.bool_value
    return found


def _signed(fields: Mapping[str, Value], key: str) -> object:
    """A value with a mark of the engine's: a secret, or an asset.

    A mapping is marked as a whole when one value in it was made from a secret. Its structure is
    read all the same, or rules would pass what they never saw; what in it looks like a secret
    stays unread.
    """
    if fields[_SIGNATURE].string_value != _SECRET_SIGNATURE:
        return _A_FILE
    value = fields["value"]
    if value.WhichOneof("kind") in {"struct_value", "list_value"}:
        return _plain(value, key, marked=True)
    return SECRET


def stack_resources(
    resources: Iterable[proto.AnalyzerResource], wanted: Mapping[str, Collection[str]]
) -> Iterator[Resource]:
    """The resources of a stack that some rule reads.

    Args:
        resources: As the engine sent them.
        wanted: Names of the top-level properties that are read, by sort.
    """
    every = tuple(resources)
    parents = {one.urn: one.parent for one in every}
    clusters = _clusters(every, parents)
    for one in every:
        names = wanted.get(sort_of(one.type))
        if names is None:
            continue
        yield Resource(
            one.urn,
            one.type,
            _outputs(one, names),
            frozenset(clusters.get(one.urn, ())),
            one.options.protect,
            tuple(_above(one.urn, parents)),
        )


def _outputs(one: proto.AnalyzerResource, wanted: Collection[str]) -> Mapping[str, object]:
    """What is wanted of a resource's outputs.

    While the way to the cluster is unknown, a preview gives every object of it no outputs at all.
    """
    if one.type.startswith(_KUBERNETES) and not one.properties.fields:
        return dict.fromkeys(wanted, UNKNOWN)
    return decoded(one.properties, wanted)


def _clusters(
    resources: Iterable[proto.AnalyzerResource], parents: Mapping[str, str]
) -> Mapping[str, set[str]]:
    """Which clusters each resource has to do with, by its URN; a component by what is below it.

    Different providers may lead to one cluster, so only what they say of it counts.
    """
    clusters: dict[str, set[str]] = {}
    for one in resources:
        cluster = decoded(one.provider.properties, (_IDENTIFIER,)).get(_IDENTIFIER)
        if isinstance(cluster, str):
            for urn in (one.urn, *_above(one.urn, parents)):
                clusters.setdefault(urn, set()).add(cluster)
    return clusters


def _above(urn: str, parents: Mapping[str, str]) -> Iterator[str]:
    here = parents.get(urn, "")
    while here:
        yield here
        here = parents.get(here, "")
