"""CRDs reduced to what an API server enforces: structure and validation, without any prose.

What is kept is an allow list, so that a field nobody thought of is left out instead of
slipping in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Json = dict[str, Any]

_KEPT_ANNOTATIONS: Final = frozenset(
    # The API server refuses a CRD in a *.k8s.io group without this one.
    {"api-approved.kubernetes.io"}
)
_KEPT_IN_VERSION: Final = ("name", "served", "storage", "deprecated", "subresources")
_KEPT_IN_SELECTABLE: Final = ("jsonPath",)
_KEPT_IN_COLUMN: Final = ("name", "type", "format", "jsonPath", "priority")
_KEPT_IN_RULE: Final = ("rule", "reason", "fieldPath", "optionalOldSelf")
_PLAIN: Final = frozenset(
    {
        "default",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "nullable",
        "pattern",
        "required",
        "type",
        "uniqueItems",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
    }
)
_NAMED: Final = ("properties",)
_NESTED: Final = ("items", "additionalProperties", "not")
_LISTED: Final = ("allOf", "anyOf", "oneOf")


def structural_crd(document: Mapping[str, Any]) -> Json:
    """A CustomResourceDefinition without descriptions, examples, messages and the like.

    Conversion webhooks are left out too: nobody serves them where stand-ins run, so versions
    of one kind are converted by their names alone.
    """
    metadata: Json = {"name": document["metadata"]["name"]}
    annotations = _pick(document["metadata"].get("annotations") or {}, _KEPT_ANNOTATIONS)
    if annotations:
        metadata["annotations"] = annotations
    spec = document["spec"]
    return {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "metadata": metadata,
        "spec": {
            "group": spec["group"],
            "names": dict(spec["names"]),
            "scope": spec["scope"],
            "versions": [_version(version) for version in spec["versions"]],
        },
    }


def _version(version: Mapping[str, Any]) -> Json:
    kept = _pick(version, _KEPT_IN_VERSION)
    kept["schema"] = {"openAPIV3Schema": _schema(version["schema"]["openAPIV3Schema"])}
    for field, keys in (
        ("additionalPrinterColumns", _KEPT_IN_COLUMN),
        ("selectableFields", _KEPT_IN_SELECTABLE),
    ):
        if version.get(field):
            kept[field] = [_pick(entry, keys) for entry in version[field]]
    return kept


def _schema(schema: Mapping[str, Any]) -> Json:
    kept = _pick(schema, _PLAIN)
    for field in _NAMED:
        if field in schema:
            kept[field] = {name: _schema(below) for name, below in schema[field].items()}
    for field in _NESTED:
        if field in schema:
            below = schema[field]
            kept[field] = below if isinstance(below, bool) else _schema(below)
    for field in _LISTED:
        if field in schema:
            kept[field] = [_schema(below) for below in schema[field]]
    if "x-kubernetes-validations" in schema:
        kept["x-kubernetes-validations"] = [
            _rule(rule) for rule in schema["x-kubernetes-validations"]
        ]
    return kept


def _rule(rule: Mapping[str, Any]) -> Json:
    return _pick(rule, _KEPT_IN_RULE)


def _pick(mapping: Mapping[str, Any], keys: Sequence[str] | frozenset[str]) -> Json:
    return {key: value for key, value in mapping.items() if key in keys}
