"""From a section of the site file to a type that Pulumi's component analyzer takes, and back.

The analyzer, which makes SDKs for other languages, knows plain types, lists, mappings and typed
dictionaries. It refuses unions, literals and tuples, and knows nothing of keys that are anybody's
choice. So a section becomes a typed dictionary in which a literal is its text, a tuple a list,
what may be written short only its long form, and freely chosen keys a mapping under a name of
their own (`Section.open_as`).
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from types import GenericAlias
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import SecretStr

from pulumi_gpu_cluster.reading.structure import keys_of, open_section
from pulumi_gpu_cluster.section import Section


@cache
def inputs_of(section: type[Section]) -> type:
    """The typed dictionary that says what a section does.

    Args:
        section: The section's model; `TenantArgs` becomes `TenantInputs`.
    """
    return typed(f"{section.__name__.removesuffix('Args')}Inputs", _fields(section))


def typed(name: str, fields: Mapping[str, object]) -> type:
    """A typed dictionary, made at run time: its fields follow the models."""
    made: Any = TypedDict  # what is called here is no form that a type checker knows
    return cast("type", made(name, dict(fields)))


def optional(kind: Any) -> object:
    """A field of a typed dictionary that may be left out."""
    return NotRequired[kind]


def raw_section(section: type[Section], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the site file would hold in place of such inputs.

    Args:
        section: The section's model.
        inputs: Values for its typed dictionary.
    """
    raw = dict(inputs)
    opened = open_section(section)
    if opened is not None:
        named: Mapping[str, Any] = raw.pop(section.open_as, None) or {}
        raw |= {own: raw_section(opened, value) for own, value in named.items()}
    for name, key in keys_of(section).items():
        if key.section is not None and raw.get(name) is not None:
            raw[name] = _raw_below(key.section, raw[name], key.holds)
    return raw


def _raw_below(section: type[Section], value: Any, holds: str) -> Any:
    if holds == "list":
        return [raw_section(section, one) for one in value]
    if holds == "map":
        return {key: raw_section(section, one) for key, one in value.items()}
    return raw_section(section, value)


def _fields(section: type[Section]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, field in section.model_fields.items():
        kind = _kind(field.annotation)
        fields[name] = kind if field.is_required() else optional(kind)
    opened = open_section(section)
    if opened is not None:
        fields[section.open_as] = optional(GenericAlias(Mapping, (str, inputs_of(opened))))
    return fields


def _kind(annotation: object) -> Any:
    """The analyzer's word for a field's type.

    Raises:
        TypeError: It has none.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    kind: Any = None
    if origin is Annotated:
        kind = _kind(arguments[0])
    elif origin in (Union, types.UnionType):
        kinds = [_kind(one) for one in arguments if one is not types.NoneType]
        kind = kinds[0] if len(kinds) == 1 else None
    elif origin is Literal:
        kind = str if all(isinstance(one, str) for one in arguments) else None
    elif origin in (tuple, list):
        kind = GenericAlias(list, (_kind(arguments[0]),))
    elif origin is not None and issubclass(cast("type", origin), Mapping):
        kind = GenericAlias(Mapping, (str, _kind(arguments[1])))
    elif isinstance(annotation, type):
        kind = _class(annotation)
    if kind is None:
        raise TypeError(f"{annotation} has no counterpart in other languages")
    return kind


def _class(one: type) -> type | None:
    if issubclass(one, Section):
        return inputs_of(one)
    if issubclass(one, SecretStr):
        return str
    return one if one in (str, int, float, bool) else None
