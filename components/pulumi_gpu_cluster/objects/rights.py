"""Rights on Kubernetes resources, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LOOK: Final = ("get", "list", "watch")
"""Verbs that change nothing."""

CHANGE: Final = ("create", "delete", "deletecollection", "patch", "update")
"""Verbs that change something."""


@dataclass(frozen=True, slots=True)
class Right:
    """What may be done with some resources of one API group.

    Attributes:
        group: The API group; empty for the core one.
        resources: Plural names, with a subresource after a slash.
        verbs: What may be done.
        names: Only the objects of these names; all where empty.
    """

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()
