"""What a run tells of the gate, and what the next run makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import pulumi

GATES: Final = "gates"
"""The output with what is known of each node: its state, why, and how often it came to no end."""

PENDING: Final = "pending"
"""The output with what the next run goes on with, a line for each thing."""


def outcomes(told: Mapping[str, pulumi.Output[str]]) -> dict[str, pulumi.Output[Any]]:
    """The outputs of a stack with a gate.

    Args:
        told: What each node's command said, as JSON, by the node's name.
    """
    all_told: pulumi.Output[dict[str, str]] = pulumi.Output.all(**told)
    return {
        GATES: all_told.apply(lambda texts: {name: _gate(texts[name]) for name in sorted(texts)}),
        PENDING: all_told.apply(lambda texts: _pending(texts.values())),
    }


def attempts(outputs: Mapping[str, Any]) -> dict[str, int]:
    """How often each node has come to no end, from a stack's outputs of any age."""
    gates = outputs.get(GATES)
    if not isinstance(gates, Mapping):
        return {}
    found = cast("Mapping[str, object]", gates)
    return {name: _attempt(gate) for name, gate in found.items()}


def _attempt(gate: object) -> int:
    number = cast("Mapping[str, object]", gate).get("attempt") if isinstance(gate, Mapping) else 0
    return int(number) if isinstance(number, (int, float)) else 0


def _gate(text: str) -> dict[str, Any]:
    told = _read(text)
    return {key: told[key] for key in ("state", "reason", "attempt")}


def _pending(texts: Iterable[str]) -> Sequence[str]:
    every = sorted((_read(text) for text in texts), key=lambda told: str(told["node"]))
    return [
        f"gate of node {told['node']}: {told['state']}: {told['reason']}"
        for told in every
        if told["state"] in ("pending", "failed")
    ]


def _read(text: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(text)
    return told
