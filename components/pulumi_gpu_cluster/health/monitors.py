"""Kernel log monitors of node-problem-detector: XIDs, ECC errors and NVSwitch errors.

What puts a GPU out of service becomes a condition of the node, what a program brought about an
event. node-problem-detector joins the last lines of the log and looks for a pattern at their very
end, so every pattern runs to the end of its line and none begins with `^`. A condition stays
until its pod starts anew, as it does when the node is rebooted: after a reset of the GPU, delete
the node's pod of it. A program cannot forge a line: of what it says of itself the kernel logs its
name only, in 15 letters at most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pulumi_gpu_cluster.catalog.xids import application_xids, fatal_xids, xids

# source: NVIDIA's XID catalogue: those of the fatal ones that are about memory
_MEMORY: Final = (48, 64, 95, 140)
# Row remapped, many single-bit errors, error contained: a GPU that is on its way.
_MEMORY_EVENTS: Final = (63, 92, 94)

# NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
_XID: Final = r"NVRM: Xid \(PCI:[0-9a-fA-F:.]+\): (%s), .*"
# nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up
_SXID: Final = r"nvidia-nvswitch[0-9]+: SXid \(PCI:[0-9a-fA-F:.]+\): [0-9]+, %s, .*"
# EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 ...)
_EDAC: Final = r"EDAC MC[0-9]+: [0-9]+ UE .*"

_SOURCE: Final = "gpu-monitor"
_LOG: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "plugin": "kmsg",
        "logPath": "/dev/kmsg",
        # What happened before the pod started is read again.
        "lookback": "5m",
        "bufferSize": 10,
        "source": _SOURCE,
        "metricsReporting": True,
    }
)

_HEALTHY: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "GpuFault": ("NoGpuFault", "no GPU has reported a fatal XID"),
        "GpuMemoryFault": ("NoGpuMemoryFault", "no GPU has reported an uncorrectable ECC error"),
        "GpuFabricFault": ("NoGpuFabricFault", "no NVSwitch has reported a fatal error"),
        "HostMemoryFault": ("NoHostMemoryFault", "the kernel has reported no uncorrectable error"),
    }
)
"""Each condition with its reason and message while all is well."""

CONDITIONS: Final = tuple(_HEALTHY)
"""Conditions of a node that are true where something is broken until somebody mends it."""


def gpu_monitor() -> str:
    """The definition of the monitor, as node-problem-detector reads it."""
    return json.dumps(
        {
            **_LOG,
            "conditions": [
                {"type": kind, "reason": reason, "message": message}
                for kind, (reason, message) in _HEALTHY.items()
            ],
            "rules": _rules(),
        },
        indent=1,
    )


def _rules() -> list[dict[str, str]]:
    by_remedy: dict[str, list[int]] = {}
    for code in fatal_xids():
        if code not in _MEMORY:
            by_remedy.setdefault(xids()[code].remedy, []).append(code)
    return [
        *(
            _condition("GpuFault", f"Xid{_camel(remedy)}", _xid(codes))
            for remedy, codes in by_remedy.items()
        ),
        _condition("GpuMemoryFault", "XidUncorrectableEcc", _xid(_MEMORY)),
        _condition("GpuFabricFault", "SxidFatal", _SXID % "Fatal"),
        _condition("HostMemoryFault", "UncorrectableEcc", _EDAC),
        _event("XidMemory", _xid(_MEMORY_EVENTS)),
        _event("XidApplication", _xid(set(application_xids()) - {*_MEMORY_EVENTS})),
        _event("SxidNonFatal", _SXID % "Non-fatal"),
    ]


def _condition(kind: str, reason: str, pattern: str) -> dict[str, str]:
    return {"type": "permanent", "condition": kind, "reason": reason, "pattern": pattern}


def _event(reason: str, pattern: str) -> dict[str, str]:
    return {"type": "temporary", "reason": reason, "pattern": pattern}


def _xid(codes: Iterable[int]) -> str:
    return _XID % "|".join(map(str, sorted(codes)))


def _camel(words: str) -> str:
    """`gpu-reset` as a reason of a condition is written: GpuReset."""
    return "".join(word.capitalize() for word in words.split("-"))
