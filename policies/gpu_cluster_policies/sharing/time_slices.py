"""Shared GPUs must not be called like whole ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.reading import at
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.sharing.plugin_configs import CONFIG_READS, plugin_configs

_WAYS: Final = (("timeSlicing", "time slices"), ("mps", "MPS shares"))


def judge(resource: Resource, config: Config) -> Iterator[Verdict]:
    """Finds configurations under which nvidia.com/gpu is a part of a GPU."""
    del config
    for one in plugin_configs(resource):
        misplaced = at(one.content, "flags", "renameByDefault") is not None
        for way, called in _WAYS:
            if one.shares_by(way) and not one.renames(way):
                where = ", and flags.renameByDefault is ignored" if misplaced else ""
                yield Fault(resource, f"{one.path} calls {called} nvidia.com/gpu{where}")


TIME_SLICES_NAMED_LIKE_GPUS: Final = ResourceRule(
    id="time-slices-named-like-gpus",
    description="Shared GPUs have a name of their own, such as nvidia.com/gpu.shared.",
    why="Under one name a quota of 8 is eight cards on one node and eight slices of one card on "
    "the next: whoever counts, counts wrong.",
    mend="set renameByDefault: true under sharing.timeSlicing (or sharing.mps)",
    severity=Severity.HIGH,
    tags=("sharing", "quota"),
    reads=CONFIG_READS,
    judge=judge,
)
