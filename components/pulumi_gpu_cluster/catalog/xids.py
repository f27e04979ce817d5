"""XIDs, the numbers under which the driver reports errors of a GPU, and what each calls for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from pulumi_gpu_cluster.catalog.data import load

Remedy = Literal[
    "application",
    "contact-support",
    "gpu-reset",
    "hardware-check",
    "informational",
    "node-reboot",
    "see-message",
    "software-check",
    "undocumented-action",
    "unused",
    "update-software",
    "vm-restart",
    "workflow",
]
"""What NVIDIA's catalogue says to do first: restart the `application`, drain the GPU for a
`gpu-reset`, follow a `workflow` of NVIDIA's, and so on. `undocumented-action` where it says
nothing."""

_OUT_OF_SERVICE: Final = ("gpu-reset", "hardware-check", "node-reboot", "workflow")


@dataclass(frozen=True, slots=True)
class Xid:
    """One kind of error.

    Attributes:
        code: Its number.
        remedy: What it calls for.
        device_plugin_ignores: Whether the device plugin leaves the GPU in service. After any
            other critical error it takes the GPU out of what the node offers.
        sources: Where this was read.
    """

    code: int
    remedy: Remedy
    device_plugin_ignores: bool
    sources: tuple[str, ...]

    @property
    def is_fatal(self) -> bool:
        """Whether the GPU is of no use until somebody did something about it.

        Where catalogue and device plugin disagree (45, 109) the GPU stays in service, and what
        follows as a rule is an error of its own.
        """
        return self.remedy in _OUT_OF_SERVICE and not self.device_plugin_ignores


@cache
def xids() -> Mapping[int, Xid]:
    """Every XID that is known here, by number."""
    return MappingProxyType(
        {
            raw["code"]: Xid(
                code=raw["code"],
                remedy=raw["remedy"],
                device_plugin_ignores=raw["device_plugin_ignores"],
                sources=raw["sources"],
            )
            for raw in load("xids")["xids"]
        }
    )


def fatal_xids() -> tuple[int, ...]:
    """Numbers of the errors after which a GPU is of no use, ascending."""
    return tuple(sorted(xid.code for xid in xids().values() if xid.is_fatal))


def application_xids() -> tuple[int, ...]:
    """Numbers of the errors that a program causes as a rule, ascending."""
    return tuple(sorted(xid.code for xid in xids().values() if xid.remedy == "application"))
