"""The shape of a chart's values: which paths it knows, and nothing else about them.

A shape is a tree. A closed mapping is a dict of its keys; everything else is a word:

- `scalar`: one value. Its type is never enforced: "" may stand for a number.
- `list`: a list; what its items hold is open, since Helm replaces lists as a whole.
- `map`: a mapping with any keys.
- `any`: whatever; the chart shows null, so nothing is known about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

Shape = dict[str, "Shape"] | str

SCALAR: Final = "scalar"
LIST: Final = "list"
MAP: Final = "map"
ANY: Final = "any"

# Keys whose value is a Kubernetes type that charts pass on whole. A default such as
# `nodeSelector: {kubernetes.io/os: linux}` does not mean that other labels are unknown.
_PASSED_ON: Final = (
    "affinity",
    "annotations",
    "labels",
    "nodeselector",
    "securitycontext",
    "matchlabels",
    "limits",
    "requests",
)
_RESOURCES: Final[dict[str, Shape]] = {"claims": LIST, "limits": MAP, "requests": MAP}


def shape_of(value: object, key: str = "") -> Shape:
    """The shape of a default value.

    Args:
        value: The value, as YAML gives it.
        key: The key it stands under, which tells Kubernetes types apart.
    """
    if value is None:
        return ANY
    if isinstance(value, list):
        return LIST
    if not isinstance(value, dict):
        return SCALAR
    mapping = cast("Mapping[object, object]", value)
    if not mapping or key.lower().endswith(_PASSED_ON):
        return MAP
    if mapping.keys() <= _RESOURCES.keys():
        return dict(_RESOURCES)
    below = {str(name): shape_of(inner, str(name)) for name, inner in mapping.items()}
    return dict(sorted(below.items()))


def shape_of_schema(schema: Mapping[str, Any]) -> Shape:
    """The shape that a chart's own values.schema.json speaks of, as far as it names keys."""
    properties = schema.get("properties")
    if not properties:
        return ANY
    return {name: shape_of_schema(below) for name, below in sorted(properties.items())}


def merged(one: Shape, other: Shape) -> Shape:
    """What is known by either: the wider of two words, the union of two mappings.

    A chart that overrides a bundled chart's values shows only some of its keys, and shows
    values where the bundled chart shows null.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        both = {
            key: merged(one.get(key, other.get(key, ANY)), other.get(key, one.get(key, ANY)))
            for key in one.keys() | other.keys()
        }
        return dict(sorted(both.items()))
    if isinstance(one, dict) or isinstance(other, dict):
        word, mapping = (other, one) if isinstance(one, dict) else (one, other)
        return mapping if word == SCALAR else word if word in (ANY, MAP) else ANY
    return one if one == other else ANY


def opened(shape: dict[str, Shape], paths: Iterable[str]) -> dict[str, Shape]:
    """The shape with the given dotted paths known, and anything allowed at and below them.

    Raises:
        KeyError: A path leads through something that is no closed mapping.
    """
    result = shape
    for path in paths:
        result = _opened(result, path.split("."), path)
    return result


def _opened(shape: Shape, keys: list[str], path: str) -> dict[str, Shape]:
    if not isinstance(shape, dict):
        raise KeyError(f"{path} leads through {shape!r}, which knows no keys")
    key, *below = keys
    inner: Shape = _opened(shape[key], below, path) if below else ANY
    return dict(sorted({**shape, key: inner}.items()))
