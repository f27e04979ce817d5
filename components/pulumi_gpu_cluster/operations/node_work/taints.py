"""Which taints a node is to have, so that ours come and go and nobody else's ever do.

The list of a node's taints is one field: whoever applies it wipes what kubelet, the autoscaler
and administrators wrote. So we read it, change our own entries and write it back on condition
that nobody wrote in between. Which entries are ours is remembered in an annotation of the node,
written in the same request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

ANNOTATION: Final = "gpu-cluster.io/taints"
"""Annotation of a node: the taints that we set, as a JSON list of key, effect and value."""

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class TaintError(Exception):
    """The wanted taints cannot be had; the message says why and what helps."""


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """One taint.

    Attributes:
        key: Its key, such as nvidia.com/gpu.
        effect: NoSchedule, PreferNoSchedule or NoExecute.
        value: Its value, often empty.
    """

    key: str
    effect: str
    value: str = ""

    @property
    def id(self) -> tuple[str, str]:
        """What is unique among a node's taints."""
        return self.key, self.effect

    @property
    def entry(self) -> dict[str, str]:
        """As the API server and the annotation write it."""
        value = {"value": self.value} if self.value else {}
        return {"key": self.key, "effect": self.effect, **value}

    def __str__(self) -> str:
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


@dataclass(frozen=True, slots=True)
class Change:
    """What to write on a node.

    Attributes:
        taints: The whole list, as the API server takes it.
        ours: Those of the list that we set.
        added: Taints that come or change.
        removed: Taints of ours that go.
    """

    taints: Sequence[Mapping[str, Any]]
    ours: Sequence[Taint]
    added: Sequence[Taint]
    removed: Sequence[Taint]


def parse(text: str, what: str) -> tuple[Taint, ...]:
    """Reads a JSON list of taints.

    Args:
        text: A JSON list of objects with key, effect and, where there is one, value.
        what: What the text is called in messages.

    Raises:
        TaintError: It is no such list, or names a key and effect twice.
    """
    try:
        entries = json.loads(text)
    except ValueError as error:
        raise TaintError(f"{what} is no JSON ({error}); fix: give a list of taints") from None
    if not isinstance(entries, list):
        raise TaintError(f"{what} is no JSON list; fix: give a list of taints")
    taints = [_taint(entry, what) for entry in cast("list[object]", entries)]
    for taint in taints:
        if sum(other.id == taint.id for other in taints) > 1:
            raise TaintError(f"{what} names {taint.key}:{taint.effect} twice; fix: name it once")
    return tuple(sorted(taints))


def _taint(entry: object, what: str) -> Taint:
    fields: Mapping[str, Any] = (
        cast("Mapping[str, Any]", entry) if isinstance(entry, Mapping) else {}
    )
    key, effect, value = fields.get("key"), fields.get("effect"), fields.get("value", "")
    if not isinstance(key, str) or not key or effect not in EFFECTS or not isinstance(value, str):
        raise TaintError(
            f"{what} has an entry that is no taint; fix: each needs a key and one of the effects "
            f"{', '.join(EFFECTS)}, and may have a value"
        )
    return Taint(key, str(effect), value)


def remembered(annotations: Mapping[str, str], node: str) -> tuple[Taint, ...]:
    """The taints that we set on a node earlier.

    Raises:
        TaintError: Somebody wrote nonsense into the annotation.
    """
    text = annotations.get(ANNOTATION)
    return parse(text, f"annotation {ANNOTATION} of node {node}") if text is not None else ()


def change(
    current: Sequence[Mapping[str, Any]], ours: Iterable[Taint], wanted: Iterable[Taint], node: str
) -> Change:
    """Works out a node's new list of taints.

    A taint is taken for ours only while it has the value that we gave it: what somebody else
    changed since is theirs. A wanted taint that stands there already, set by somebody else, is
    left theirs too, so that dropping it later does not take it from them.

    Args:
        current: The node's taints as the API server tells them.
        ours: Those that we set earlier.
        wanted: Those that shall be there.
        node: The node's name, for messages.

    Raises:
        TaintError: Somebody else gives a wanted key and effect another value.
    """
    mine, want = {taint.id: taint for taint in ours}, {taint.id: taint for taint in wanted}
    kept: list[Mapping[str, Any]] = []
    added: list[Taint] = []
    removed: list[Taint] = []
    owned: list[Taint] = []
    for entry in current:
        there = Taint(entry["key"], entry["effect"], entry.get("value") or "")
        wish, own = want.pop(there.id, None), mine.get(there.id) == there
        if wish is None and own:
            removed.append(there)
            continue
        if wish is None or wish == there:
            kept.append(entry)
            owned += [there] if own and wish is not None else []
        elif there.id in mine:
            added.append(wish)
        else:
            raise TaintError(
                f"node {node}: {there} was set by somebody else, and {wish} is wanted; fix: remove "
                f"it (kubectl taint node {node} {there.key}:{there.effect}-) or want the same value"
            )
    added += want.values()
    owned += added
    return Change(
        [*kept, *(taint.entry for taint in added)], sorted(owned), sorted(added), sorted(removed)
    )
