"""Waivers: findings that a site knows about and lives with, each for a reason and a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pulumi_gpu_cluster.findings import Finding, error, warning
from pulumi_gpu_cluster.wording import instead

if TYPE_CHECKING:
    from pulumi_gpu_cluster.rule import Rule
    from pulumi_gpu_cluster.site import AcceptArgs


def accepted(
    waivers: Sequence[AcceptArgs],
    findings: Iterable[Finding],
    rules: Mapping[str, Rule],
    as_of: dt.date,
) -> Iterator[Finding]:
    """The findings that no waiver takes away, and what is to be said about the waivers.

    Args:
        waivers: The site's waivers.
        findings: What the rules found.
        rules: Every rule by its id.
        as_of: The day on which waivers must still hold.
    """
    findings = list(findings)
    found = {(finding.rule, finding.path) for finding in findings}
    taken: set[tuple[str, str]] = set()
    for index, waiver in enumerate(waivers):
        complaint = _complaint(f"site.accept[{index}]", waiver, rules, found, as_of)
        if complaint is None:
            taken.add((waiver.rule, waiver.path))
        else:
            yield complaint
    for finding in findings:
        if (finding.rule, finding.path) not in taken:
            yield finding


def _complaint(
    path: str,
    waiver: AcceptArgs,
    rules: Mapping[str, Rule],
    found: set[tuple[str, str]],
    as_of: dt.date,
) -> Finding | None:
    """Why a waiver does not count, or None where it does."""
    rule = rules.get(waiver.rule)
    if rule is None:
        message = f"there is no rule {waiver.rule} that could be accepted"
        known = [name for name, one in rules.items() if one.waivable]
        return error("accept-unknown-rule", f"{path}.rule", message, instead(waiver.rule, known))
    if not rule.waivable:
        message = (
            f"{waiver.rule} guards data, isolation or the sense of the file: no one can accept it"
        )
        return error(
            "accept-refused", f"{path}.rule", message, "mend what it finds", waivable=False
        )
    if waiver.until is not None and as_of > waiver.until:
        message = f"ended on {waiver.until}, and no longer covers {waiver.path}"
        fix = "mend the finding, or decide anew with a later date"
        return warning("accept-expired", f"{path}.until", message, fix)
    if (waiver.rule, waiver.path) not in found:
        message = f"covers nothing: {waiver.rule} finds nothing at {waiver.path}"
        return warning("accept-unused", path, message, "remove it, or mend its path")
    return None
