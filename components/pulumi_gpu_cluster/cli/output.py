"""How the commands print findings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import click

from pulumi_gpu_cluster.findings import Finding, Severity


def print_findings(findings: Iterable[Finding], *, err: bool = False) -> None:
    """Prints findings, one a line.

    Args:
        findings: The findings.
        err: Whether they go to the standard error.
    """
    for finding in findings:
        click.echo(str(finding), err=err)


def counted(findings: Iterable[Finding]) -> tuple[int, int]:
    """How many of them are errors, and how many are warnings."""
    severities = [finding.severity for finding in findings]
    return severities.count(Severity.ERROR), severities.count(Severity.WARNING)


def plain(finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    return dataclasses.asdict(finding)
