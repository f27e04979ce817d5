"""What a run tells of its node work, and what the next run makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

import pulumi

PENDING: Final = "pending"
"""The output with what the next run goes on with, a line for each thing."""

GATES: Final = "gates"
"""The output with what is known of each gated node."""

DRIVERS: Final = "drivers"
"""The output with what is known of the drivers of each pool."""

_WHAT: Final = {GATES: "gate of node", DRIVERS: "driver of pool"}

Told = Mapping[str, pulumi.Output[str]]
"""What the command of each node or pool said, as JSON, by its name."""


def outcomes(told: Mapping[str, Told]) -> dict[str, pulumi.Output[Any]]:
    """The outputs of a stack with node work: state, reason and number of attempts of each.

    Args:
        told: For each of these outputs what its commands said.
    """
    found = {output: pulumi.Output.all(**said) for output, said in told.items() if said}
    if not found:
        return {}
    lines = [_pending(texts, _WHAT[output]) for output, texts in found.items()]
    pending = pulumi.Output.all(*lines).apply(
        lambda parts: [line for part in parts for line in part]
    )
    return {**{output: texts.apply(_known) for output, texts in found.items()}, PENDING: pending}


def attempts(outputs: Mapping[str, Any], output: str) -> dict[str, int]:
    """How often each node or pool has come to no end, from a stack's outputs of any age.

    Args:
        outputs: All outputs of the last run.
        output: The one that is read.
    """
    known = outputs.get(output)
    if not isinstance(known, Mapping):
        return {}
    found = cast("Mapping[str, object]", known)
    return {name: _attempt(one) for name, one in found.items()}


def _attempt(one: object) -> int:
    number = cast("Mapping[str, object]", one).get("attempt") if isinstance(one, Mapping) else 0
    return int(number) if isinstance(number, (int, float)) else 0


def _known(texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: {key: told[key] for key in ("state", "reason", "attempt")}
        for name in sorted(texts)
        for told in (json.loads(texts[name]),)
    }


def _pending(texts: pulumi.Output[dict[str, str]], what: str) -> pulumi.Output[list[str]]:
    def lines(said: Mapping[str, str]) -> list[str]:
        return [
            f"{what} {name}: {told['state']}: {told['reason']}"
            for name, told in _known(said).items()
            if told["state"] in ("pending", "failed")
        ]

    return texts.apply(lines)
