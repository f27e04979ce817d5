"""What the site file's models look like from outside: which section lies under which key.

The unknown-key finding, the search for secrets and the generated reference all walk the models;
they do it through this one place.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from pulumi_gpu_cluster.section import Section

EACH = "*"
"""Stands for every position of a list and every key of a mapping in a path."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a section.

    Attributes:
        name: The key.
        section: The section that lies under it, or under each of its entries; None where it
            holds plain values.
        holds: Whether it holds one value, a list of them, or a mapping.
        marks: What the model's author attached to the type.
        required: Whether it must be given.
    """

    name: str
    section: type[Section] | None
    holds: Literal["one", "list", "map"]
    marks: tuple[object, ...]
    required: bool


@cache
def keys_of(section: type[Section]) -> Mapping[str, Key]:
    """The keys of a section, in the model's order."""
    keys: dict[str, Key] = {}
    for name, field in section.model_fields.items():
        inner, holds = _unwrap(field.annotation)
        keys[name] = Key(
            name=name,
            section=inner,
            holds=holds,
            marks=tuple(field.metadata),
            required=field.is_required(),
        )
    return keys


@cache
def open_section(section: type[Section]) -> type[Section] | None:
    """What lies under the keys that the site's author chooses; None for a closed section."""
    if section.model_config.get("extra") != "allow":
        return None
    hints = get_type_hints(section, include_extras=True)
    inner, _ = _unwrap(hints["__pydantic_extra__"])
    return inner


def section_at(root: type[Section], path: Path) -> type[Section] | None:
    """The section that a path leads to, or None where it leads to a plain value."""
    section: type[Section] | None = root
    holds = "one"
    for step in path:
        if holds != "one":
            holds = "one"
            continue
        if section is None:
            return None
        key = keys_of(section).get(str(step))
        if key is None:
            section = open_section(section)
        else:
            section, holds = key.section, key.holds
    return section if holds == "one" else None


def leaves(section: type[Section], before: Path = ()) -> Iterator[tuple[Path, Key]]:
    """Every key that holds plain values, with its path below the section."""
    for key in keys_of(section).values():
        path = (*before, key.name) if key.holds == "one" else (*before, key.name, EACH)
        if key.section is None:
            yield path, key
        else:
            yield from leaves(key.section, path)


def dotted(path: Path, root: str = "site") -> str:
    """A path as a person would write it: site.tenants[2].quota.train.gpu."""
    text = root
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text


def _unwrap(annotation: object) -> tuple[type[Section] | None, Literal["one", "list", "map"]]:
    """The section within Annotated, Optional, tuple and Mapping, and what holds it."""
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is Annotated:
        return _unwrap(arguments[0])
    if origin in (Union, types.UnionType):
        found = [_unwrap(one) for one in arguments if one is not types.NoneType]
        return next((one for one in found if one[0] is not None), found[0])
    if origin is tuple:
        return _unwrap(arguments[0])[0], "list"
    if origin in (dict, Mapping) or getattr(origin, "__name__", "") == "Mapping":
        return _unwrap(arguments[1])[0], "map"
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation, "one"
    return None, "one"
