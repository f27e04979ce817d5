"""The configuration of Volcano's scheduler: its actions, and the plugins that they ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pulumi_gpu_cluster.scheduling.args import VolcanoArgs

# GPUs decide where a job fits; a node whose cores are packed and whose GPUs are not helps nobody.
_GPU_WEIGHT: Final = 10
_PACKING_WEIGHT: Final = 10


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of the scheduler.

    Attributes:
        name: Its name.
        switches: What it leaves to others of all that it could decide.
        arguments: Its settings.
    """

    name: str
    switches: dict[str, bool] = field(default_factory=dict[str, bool])
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])

    def manifest(self) -> dict[str, Any]:
        """As the scheduler reads it."""
        arguments = {"arguments": self.arguments} if self.arguments else {}
        return {"name": self.name, **self.switches, **arguments}


def scheduler_configuration(args: VolcanoArgs, gpus: Sequence[str]) -> dict[str, Any]:
    """Actions and plugins of the scheduler.

    Guarantees hold by reclaiming, and that takes four things here that the chart's own
    configuration has otherwise (source: volcano-sh/volcano v1.15.1 pkg/scheduler):

    - `capacity`, which knows `deserved`, or `proportion`, and never both.
    - One tier. Victims are those on whom the first tier that names any agrees; in an earlier
      tier than `capacity`, `conformance` alone would name every pod.
    - No `overcommit`: a job that it holds back has no pods for which anything is reclaimed.
    - A gang may be broken by reclaiming. Otherwise a borrower keeps what it has borrowed for
      as long as all its pods are needed, which for training is always.

    Args:
        args: What the site says.
        gpus: Full names of every GPU resource of the cluster.
    """
    plugins = (
        Plugin("priority"),
        Plugin("gang", {"enablePreemptable": False, "enableReclaimable": False}),
        Plugin("conformance"),
        Plugin("drf", {"enablePreemptable": False}),
        Plugin("predicates"),
        Plugin(args.share, {"enableHierarchy": True} if args.share == "capacity" else {}),
        Plugin("nodegroup"),
        *_placing(args, gpus),
    )
    return {
        "actions": ", ".join(_actions(args)),
        "tiers": [{"plugins": [plugin.manifest() for plugin in plugins]}],
    }


def _actions(args: VolcanoArgs) -> list[str]:
    """What the scheduler does in each round.

    `enqueue` keeps a job that would go over its queue's ceiling from getting pods. It would keep
    a job of high priority out of a full queue, too, and without pods it pushes nobody out: the two
    exclude each other (volcano-sh/volcano issues 991 and 4756). To reclaim from other queues takes
    room below one's own ceiling only, and that is all `enqueue` asks for.
    """
    wanted = {
        "enqueue": not args.preempt,
        "allocate": True,
        "preempt": args.preempt,
        "reclaim": args.reclaim,
        "backfill": args.backfill,
    }
    return [action for action, on in wanted.items() if on]


def _placing(args: VolcanoArgs, gpus: Sequence[str]) -> tuple[Plugin, ...]:
    """Which of the nodes that would do is taken.

    `binpack` looks at cores and memory alone unless GPUs are named, and `nodeorder` prefers the
    emptier node unless told not to.
    """
    if args.placement == "spread":
        return (Plugin("nodeorder"),)
    weights = {f"binpack.resources.{name}": _GPU_WEIGHT for name in gpus}
    named = {"binpack.resources": ", ".join(gpus), **weights} if gpus else {}
    return (
        Plugin("nodeorder", arguments={"leastrequested.weight": 0}),
        Plugin("binpack", arguments={"binpack.weight": _PACKING_WEIGHT, **named}),
    )
