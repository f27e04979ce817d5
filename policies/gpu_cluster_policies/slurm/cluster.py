"""A Slurm cluster keeps jobs to their devices, and counts what they use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import values_of
from gpu_cluster_policies.reading import at, entries, fields, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import (
    Config,
    Fault,
    ResourceRule,
    StackRule,
    Verdict,
    Violation,
    each,
)
from gpu_cluster_policies.slurm.files import (
    CONFIG_MAP,
    CONTROLLER,
    FILE_READS,
    is_slurm_chart,
    lines,
)
from gpu_cluster_policies.stack import Stack

_CGROUP: Final = "cgroup.conf"
_CONSTRAINTS: Final = ("ConstrainCores", "ConstrainDevices", "ConstrainRAMSpace")


def _unconstrained(stack: Stack, config: Config) -> Iterator[Verdict]:
    del config
    yield from each(stack.of(*FILE_READS), lambda one: _judge_files(one, stack))


def _judge_files(resource: Resource, stack: Stack) -> Iterator[Verdict]:
    if resource.sort == CONFIG_MAP:
        content = string(fields(resource.props, "data"), _CGROUP)
        if content:
            yield from _missing(resource, f"data.{_CGROUP}", content)
    elif is_slurm_chart(resource):
        content = string(fields(values_of(resource), "configFiles"), _CGROUP)
        yield from _missing(resource, f"values.configFiles.{_CGROUP}", content)
    elif resource.sort == CONTROLLER:
        yield from _judge_controller(resource, stack)


def _judge_controller(controller: Resource, stack: Stack) -> Iterator[Verdict]:
    named = [string(one, "name") for one in entries(controller.props, "spec", "configFileRefs")]
    held = [
        one
        for one in stack.beside(controller, CONFIG_MAP)
        if string(one.props, "metadata", "name") in named
    ]
    if any(_CGROUP in fields(one.props, "data") for one in held):
        return  # Judged there.
    if len(held) < len(named):
        yield Violation(
            f"cannot judge {controller.shown}: not all ConfigMaps of its configFileRefs are in the "
            f"stack; fix: add them to it, or exempt {controller.name} in "
            f"{SLURM_WITHOUT_CGROUP_CONSTRAINTS.id}.exempt",
            controller.urn,
        )
    else:
        yield from _missing(controller, f"configFileRefs without {_CGROUP}:", "")


def _missing(resource: Resource, where: str, content: str) -> Iterator[Verdict]:
    said = {key: value for line in lines(content) for key, value in line.items()}
    off = [
        one for one in _CONSTRAINTS if said.get(one.lower(), "no").lower() not in {"yes", "true"}
    ]
    if off:
        yield Fault(resource, f"{where} leaves {', '.join(off)} off")


SLURM_WITHOUT_CGROUP_CONSTRAINTS: Final = StackRule(
    id="slurm-without-cgroup-constraints",
    description="Slurm keeps a job to the cores, devices and memory it was given.",
    why="All three are off unless said: a job then sees its neighbours' GPUs as well.",
    mend="set ConstrainCores, ConstrainDevices and ConstrainRAMSpace to yes in cgroup.conf",
    severity=Severity.HIGH,
    tags=("slurm", "security"),
    reads=FILE_READS,
    judge=_unconstrained,
)


def _unaccounted(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    if resource.sort == CONTROLLER:
        if not string(resource.props, "spec", "accountingRef", "name"):
            yield Fault(resource, "has no accountingRef")
    elif resource.sort == CONFIG_MAP:
        content = string(fields(resource.props, "data"), "slurm.conf")
        said = {key: value for line in lines(content) for key, value in line.items()}
        server = "slurmctldhost" in said or "clustername" in said
        if server and "slurmdbd" not in said.get("accountingstoragetype", ""):
            yield Fault(resource, "its slurm.conf names no accounting_storage/slurmdbd")
    elif is_slurm_chart(resource) and at(values_of(resource), "accounting", "enabled") is not True:
        yield Fault(resource, "leaves values.accounting.enabled off")


SLURM_WITHOUT_ACCOUNTING: Final = ResourceRule(
    id="slurm-without-accounting",
    description="Slurm has an accounting database.",
    why="Without it there are no accounts, no fair share and no limits, and nobody can say who "
    "used the GPUs.",
    mend="run slurmdbd and name it",
    severity=Severity.HIGH,
    tags=("slurm", "quota"),
    reads=FILE_READS,
    judge=_unaccounted,
)
