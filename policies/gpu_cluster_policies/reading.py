"""Reading properties in rules: what is unknown ends the judgement of that resource until later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from gpu_cluster_policies.resources import SECRET, UNKNOWN
from pulumi_gpu_cluster.quantity import value as quantity_value

Fields: TypeAlias = Mapping[str, object]
NOTHING: Final[Fields] = MappingProxyType({})


class NotKnownYetError(Exception):
    """A rule met a value that only the update will tell."""

    def __init__(self, path: Sequence[str]) -> None:
        super().__init__(".".join(path))
        self.path = ".".join(path)


def at(value: Fields, *path: str) -> object:
    """What stands at a path; None where nothing does.

    Raises:
        NotKnownYetError: Where it, or a part above it, is unknown.
    """
    found: Any = value
    for depth, key in enumerate(path):
        if not isinstance(found, Mapping):
            return None
        found = cast("Fields", found).get(key)
        if found is UNKNOWN:
            raise NotKnownYetError(path[: depth + 1])
    return found


def fields(value: Fields, *path: str) -> Fields:
    """The mapping at a path; empty where there is none."""
    found = at(value, *path)
    return cast("Fields", found) if isinstance(found, Mapping) else NOTHING


def items(value: Fields, *path: str) -> tuple[object, ...]:
    """The entries of the list at a path, without those that are unknown."""
    found = at(value, *path)
    return _known(cast("Sequence[object]", found)) if _is_list(found) else ()


def entries(value: Fields, *path: str) -> tuple[Fields, ...]:
    """The mappings in the list at a path."""
    return tuple(cast("Fields", one) for one in items(value, *path) if isinstance(one, Mapping))


def words(value: Fields, *path: str) -> tuple[str, ...]:
    """The texts in the list at a path."""
    return tuple(one for one in items(value, *path) if isinstance(one, str))


def string(value: Fields, *path: str) -> str:
    """The text at a path; empty where there is none, or a secret."""
    found = at(value, *path)
    if found is None or found is SECRET or isinstance(found, Mapping) or _is_list(found):
        return ""
    if isinstance(found, float) and found.is_integer():
        return str(int(found))  # The engine turns every number into a float.
    return str(found)


def number(value: Fields, *path: str) -> Fraction | None:
    """The amount at a path, a number or a Kubernetes quantity; None where there is none."""
    return amount(at(value, *path))


def amount(found: object) -> Fraction | None:
    """What a number or a Kubernetes quantity is worth; None where it is neither."""
    if isinstance(found, bool):
        return None
    if isinstance(found, (int, float)):
        return Fraction(found)
    if isinstance(found, str):
        try:
            return quantity_value(found)
        except ValueError:
            return None
    return None


def walk(value: object, path: str = "") -> Iterator[tuple[str, str, object]]:
    """Everything below a value: its path, the nearest key, and what stands there."""
    if isinstance(value, Mapping):
        for key, below in cast("Fields", value).items():
            place = f"{path}.{key}" if path else key
            yield place, key, below
            yield from walk(below, place)
    elif _is_list(value):
        key = path.rpartition(".")[2]
        for index, below in enumerate(cast("Sequence[object]", value)):
            place = f"{path}[{index}]"
            yield place, key, below
            yield from walk(below, place)


def _is_list(found: object) -> bool:
    return isinstance(found, Sequence) and not isinstance(found, (str, bytes))


def _known(found: Sequence[object]) -> tuple[object, ...]:
    return tuple(one for one in found if one is not UNKNOWN)
