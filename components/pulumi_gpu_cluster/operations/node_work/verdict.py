"""The word of the gate's pod, and whether it passes a node.

It comes as the pod's termination message: a first line with its version, then `key=value` lines.
Anything else is no verdict, and no verdict passes no node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec

HEAD: Final = "gpu-cluster-gate 1"

_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mode": "diag|slices",
        "gpus": "[0-9]{1,3}",
        "slices": "[0-9]{1,4}",
        "mig": "on|off",
        "driver": r"[0-9.]{1,20}",
        "firmware": r"[-0-9A-Za-z.,_]{1,200}",
        "fabric": "completed|none|[a-z-]{1,40}",
        "diag": "pass|fail|not-run",
        "reason": r"[ -~]{0,600}",
    }
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the pod has seen on the node.

    Attributes:
        mode: `diag`: whole GPUs were diagnosed. `slices`: MIG instances were counted.
        gpus: GPUs that answered.
        slices: MIG instances that answered.
        mig: Whether MIG is on, on any of them.
        driver: The driver's version.
        firmware: The GPUs' VBIOS versions.
        fabric: State of the NVLink fabric; `none` where there is none to ask.
        diag: How `dcgmi diag -r 2` ended.
        reason: What it complained about.
    """

    mode: str
    gpus: int
    slices: int
    mig: bool
    driver: str
    firmware: str
    fabric: str
    diag: str
    reason: str


def parse_verdict(message: str) -> Verdict | None:
    """Reads a verdict; None where the message is none, to the letter."""
    head, *lines = message.rstrip("\n").split("\n")
    pairs = [line.partition("=") for line in lines]
    values = {key: value for key, _, value in pairs}
    if head != HEAD or [key for key, _, _ in pairs] != list(_KEYS):
        return None
    if not all(re.fullmatch(pattern, values[key]) for key, pattern in _KEYS.items()):
        return None
    return Verdict(
        mode=values["mode"],
        gpus=int(values["gpus"]),
        slices=int(values["slices"]),
        mig=values["mig"] == "on",
        driver=values["driver"],
        firmware=values["firmware"],
        fabric=values["fabric"],
        diag=values["diag"],
        reason=values["reason"],
    )


def against(verdict: Verdict, spec: GateSpec) -> str:
    """What speaks against the node; empty where nothing does."""
    if verdict.mode == "slices":
        wanted = spec.instances
        if not verdict.mig or verdict.slices != wanted:
            return f"{verdict.slices} MIG instances answer and {wanted} are wanted"
        return ""
    if verdict.gpus != spec.gpus:
        return f"{verdict.gpus} GPUs answer and {spec.gpus} are wanted"
    if verdict.fabric not in ("completed", "none"):
        return f"the NVLink fabric is {verdict.fabric}, not completed"
    if verdict.diag != "pass":
        return f"dcgmi diag -r 2: {verdict.diag}{verdict.reason and f' ({verdict.reason})'}"
    return ""


def not_yet(verdict: Verdict, spec: GateSpec) -> str:
    """What was not as it has to be for a verdict to count; empty where it counts."""
    if verdict.mode == "diag" and verdict.mig:
        return "dcgmi diag was not run: MIG is on"
    if spec.driver and verdict.driver != spec.driver:
        return f"driver {verdict.driver} runs and {spec.driver} is wanted"
    return ""
