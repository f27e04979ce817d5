"""What a check has to say: findings, and the waivers that accept some of them.

A finding keeps its path apart from its reason, so that a person reads one line and a
program reads fields. Rules are pure functions that return findings; whoever runs them
decides what to print and how to exit.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Severity(enum.StrEnum):
    """How much a finding weighs: an error stops the run, a warning does so under --strict."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, where it is, and how to mend it.

    Attributes:
        severity: Whether it stops the run.
        rule: Id of the rule, in kebab case: `quota-over-capacity`.
        path: Where in the file, as a person would write it: `site.tenants[2].quota.train.gpu`.
        message: What is wrong, with the value and the limit.
        fix: What to do about it.
        waivable: False for rules about data loss and isolation, and where the file would make no
            sense: nobody can accept them away.
    """

    severity: Severity
    rule: str
    path: str
    message: str
    fix: str
    waivable: bool = True

    def __post_init__(self) -> None:
        """Writes what cannot be printed as its escape, such as a line's end in a quoted name.

        A finding is one line for who reads it, and XML takes no control characters.
        """
        for part in ("path", "message", "fix"):
            text: str = getattr(self, part)
            if not text.isprintable():
                object.__setattr__(self, part, printable(text))

    def __str__(self) -> str:
        """The one line a person reads."""
        return f"{self.severity} {self.rule} {self.path}: {self.message}; fix: {self.fix}"


def printable(text: str) -> str:
    """A text with an escape in place of each character that cannot be printed.

    Args:
        text: Any text, such as a name out of a file.
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def error(rule: str, path: str, message: str, fix: str, *, waivable: bool = False) -> Finding:
    """A finding that stops the run."""
    return Finding(Severity.ERROR, rule, path, message, fix, waivable)


def warning(rule: str, path: str, message: str, fix: str) -> Finding:
    """A finding that is worth a look and stops nothing."""
    return Finding(Severity.WARNING, rule, path, message, fix, waivable=False)


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether any of them stops the run."""
    return any(finding.severity is Severity.ERROR for finding in findings)
