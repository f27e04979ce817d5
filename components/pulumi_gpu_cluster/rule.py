"""Design rules: pure functions over a whole site, each with an id, a weight and one sentence.

A rule says only where, what and how to mend; its id, its severity and whether it can be accepted
stand once, at its head. The registry of all rules is `checks.RULES`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from pulumi_gpu_cluster.findings import Finding, Severity
from pulumi_gpu_cluster.tenancy.shares import Share, pool_shares

if TYPE_CHECKING:
    from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
    from pulumi_gpu_cluster.site import Site

ERROR: Final = Severity.ERROR
WARNING: Final = Severity.WARNING


class Fault(NamedTuple):
    """What a rule found: where, what is wrong there, and the way out."""

    path: str
    message: str
    fix: str


class Case:
    """A site that is being judged, with what several rules work out from it.

    Attributes:
        site: The site.
        as_of: The day that rules with a date judge by.
    """

    def __init__(self, site: Site, as_of: dt.date) -> None:
        self.site = site
        self.as_of = as_of

    @cached_property
    def pools(self) -> Mapping[str, NodePoolArgs]:
        """The pools by name."""
        return {pool.name: pool for pool in self.site.node_pools}

    @cached_property
    def shares(self) -> tuple[Mapping[str, Mapping[str, Share]], ...]:
        """Every tenant's shares by pool and resource, in the order of the file.

        Not by name: two tenants of one name are a fault that must not hide others.
        """
        pools = self.site.node_pools
        return tuple(pool_shares(tenant, pools) for tenant in self.site.tenants)

    def each_pool(self) -> Iterator[tuple[str, NodePoolArgs]]:
        """Each pool with its path."""
        for index, pool in enumerate(self.site.node_pools):
            yield f"site.node_pools[{index}]", pool


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Its id in findings and waivers: quota-over-capacity.
        severity: Whether what it finds stops the run.
        waivable: Whether `accept` can waive it.
        says: What it holds against a site, in one sentence.
        faults: The rule itself.
    """

    id: str
    severity: Severity
    waivable: bool
    says: str
    faults: Callable[[Case], Iterator[Fault]]

    def findings(self, case: Case) -> Iterator[Finding]:
        """What the rule finds."""
        for path, message, fix in self.faults(case):
            yield Finding(self.severity, self.id, path, message, fix, self.waivable)


def rule(
    severity: Severity, *, waivable: bool = True
) -> Callable[[Callable[[Case], Iterator[Fault]]], Rule]:
    """Makes a rule of a function: its name is the id, its docstring the sentence.

    Args:
        severity: Whether what it finds stops the run.
        waivable: False for rules about isolation and the loss of data, and where the file would
            make no sense to what reads it.
    """

    def made(faults: Callable[[Case], Iterator[Fault]]) -> Rule:
        says = (faults.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
        return Rule(faults.__name__.replace("_", "-"), severity, waivable, says, faults)

    return made
