"""Rules as Prometheus evaluates them: alerts, recordings, and groups of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]
"""`critical`: somebody must see to it now. `warning`: soon. `info`: good to know."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert.

    Attributes:
        name: Its name, by which people silence it.
        expr: The query; each series it yields is an alert.
        severity: How soon somebody must see to it.
        summary: One line that says where and what, with the series' labels.
        description: What it means and what to do.
        hold: How long the query has to yield a series before the alert fires.
    """

    name: str
    expr: str
    severity: Severity
    summary: str
    description: str
    hold: str = "0m"

    def as_dict(self) -> dict[str, Any]:
        """The rule as Prometheus takes it."""
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": self.hold,
            "labels": {"severity": self.severity},
            "annotations": {"summary": self.summary, "description": self.description},
        }


@dataclass(frozen=True, slots=True)
class Recording:
    """A query whose result is kept under a name of its own.

    Attributes:
        record: The name.
        expr: The query.
        labels: Labels that every series of it gets.
    """

    record: str
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def as_dict(self) -> dict[str, Any]:
        """The rule as Prometheus takes it."""
        rule: dict[str, Any] = {"record": self.record, "expr": self.expr}
        return {**rule, "labels": dict(self.labels)} if self.labels else rule


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that are evaluated together, one after another.

    Attributes:
        name: Its name.
        rules: The rules. A recording comes before what reads it.
    """

    name: str
    rules: tuple[Alert | Recording, ...]

    def as_dict(self) -> dict[str, Any]:
        """The group as Prometheus takes it."""
        return {"name": self.name, "rules": [rule.as_dict() for rule in self.rules]}
