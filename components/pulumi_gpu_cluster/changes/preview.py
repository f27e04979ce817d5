"""Reading what `pulumi preview --json` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, cast

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_REPLACES: Final = frozenset({"replace", "create-replacement", "delete-replaced"})
_DELETES: Final = frozenset({"delete", "delete-replaced", "discard"})
_TOUCHES: Final = frozenset({"create", "update", "delete", *_REPLACES})


class PreviewError(Exception):
    """The file is no preview; the message says why, without what it holds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the engine would do.

    Attributes:
        op: What: create, update, delete, replace, same.
        urn: To which resource.
        old: Its inputs before; empty for a new one.
        new: Its inputs after; empty where it goes.
        protected: Whether the engine was told not to delete it.
    """

    op: str
    urn: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    protected: bool = False

    @property
    def name(self) -> str:
        """The resource's name."""
        return self.urn.rpartition("::")[2]

    @property
    def types(self) -> tuple[str, ...]:
        """Type tokens of the components it is inside of, and last its own."""
        return tuple(self.urn.split("::")[2].split("$")) if self.urn.count("::") >= 3 else ("",)  # noqa: PLR2004 - urn:pulumi:stack::project::types::name

    @property
    def type(self) -> str:
        """Its type token."""
        return self.types[-1]

    @property
    def kind(self) -> str:
        """Its kind without version and `Patch`: core/Namespace; else its type token."""
        if not self.type.startswith("kubernetes:"):
            return self.type
        group, _, kind = self.type.removeprefix("kubernetes:").rpartition(":")
        return f"{group.rpartition('/')[0]}/{kind.removesuffix('Patch')}"

    @property
    def replaces(self) -> bool:
        """Whether the resource is made anew."""
        return self.op in _REPLACES

    @property
    def deletes(self) -> bool:
        """Whether what is there goes, for good or to be made anew."""
        return self.op in _DELETES or self.replaces

    @property
    def touches(self) -> bool:
        """Whether anything happens to it at all."""
        return self.op in _TOUCHES


def read_preview(text: str) -> tuple[Step, ...]:
    """The steps of a preview, one for each resource.

    Args:
        text: What `pulumi preview --json` printed.

    Raises:
        PreviewError: It is no preview, or one that failed.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise PreviewError(f"it is no JSON ({type(wrong).__name__})") from None
    diagnostics = _mapping(document).get("diagnostics")
    told = cast("list[object]", diagnostics) if isinstance(diagnostics, list) else []
    if any(_mapping(one).get("severity") == "error" for one in told):
        raise PreviewError("the preview failed, so its steps are not all: mend that first")
    steps = _mapping(document).get("steps")
    if not isinstance(steps, list):
        raise PreviewError("it has no `steps`: write it by pulumi preview --json")
    found: dict[str, Step] = {}
    for raw in cast("list[object]", steps):
        step = _step(_mapping(raw))
        if not step.op or not step.urn.startswith("urn:pulumi:"):
            raise PreviewError("one of its steps names no operation or no resource")
        # A replacement is told as up to three steps; what weighs most stands.
        if step.urn not in found or (step.touches and not found[step.urn].replaces):
            found[step.urn] = step
    return tuple(found.values())


def _step(raw: Mapping[str, Any]) -> Step:
    old, new = _mapping(raw.get("oldState")), _mapping(raw.get("newState"))
    return Step(
        op=_text(raw.get("op")),
        urn=_text(raw.get("urn")),
        old=_mapping(old.get("inputs")),
        new=_mapping(new.get("inputs")),
        protected=old.get("protect") is True,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
