"""The monitor's patterns on lines as kernels write them, matched as node-problem-detector does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pulumi_gpu_cluster.catalog.xids import application_xids, fatal_xids
from pulumi_gpu_cluster.health.monitors import gpu_monitor

MONITOR: dict[str, Any] = json.loads(gpu_monitor())
XID = "NVRM: Xid (PCI:0000:3b:00): "


def reported(*lines: str) -> list[str]:
    """Conditions and events of the last of these lines: `condition/reason`, or `reason`.

    source: kubernetes/node-problem-detector pkg/systemlogmonitor/log_buffer.go: lines are joined,
    and a pattern has to match up to the very end.
    """
    log = "\n".join(lines)
    return [
        "/".join(filter(None, (rule.get("condition"), rule["reason"])))
        for rule in MONITOR["rules"]
        if re.search(rule["pattern"] + r"\Z", log)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            XID + "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            ["GpuFault/XidNodeReboot"],
        ),
        (
            "NVRM: Xid (PCI:0000:9b:00.0): 119, pid=4242, name=python, Timeout after 6s of waiting",
            ["GpuFault/XidGpuReset"],
        ),
        (
            XID + "74, NVLink: fatal error detected on link 4(0x0, 0x0, 0x10000, 0x0, 0x0)",
            ["GpuFault/XidWorkflow"],
        ),
        (
            XID + "48, pid=77, name=python, An uncorrectable double bit error (DBE) on GPU",
            ["GpuMemoryFault/XidUncorrectableEcc"],
        ),
        (
            XID + "95, pid=1, name=a, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No",
            ["GpuMemoryFault/XidUncorrectableEcc"],
        ),
        (XID + "63, Row Remapper: New row (0x00000000000f2d80) marked", ["XidMemory"]),
        (XID + "94, pid=9, name=b, Contained: SM (0x1). RST: No, D-RST: No", ["XidMemory"]),
        (XID + "31, pid=12, name=python, Ch 00000010, MMU Fault: ENGINE", ["XidApplication"]),
        (XID + "13, pid=1, name=a, Graphics SM Warp Exception", ["XidApplication"]),
        (XID + "32, pid=3, name=c, Channel ID 00000013 intr 00040000", ["XidApplication"]),
        (
            "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
            ["GpuFabricFault/SxidFatal"],
        ),
        (
            "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore",
            ["SxidNonFatal"],
        ),
        (
            "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0)",
            ["HostMemoryFault/UncorrectableEcc"],
        ),
        ("EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0", []),
        ("NVRM: GPU at PCI:0000:3b:00: GPU-5c0c9a3e-4e4b", []),
        (XID + "799, there is no such number", []),
        (XID + "7, neither this one", []),
    ],
)
def test_a_line_of_the_kernel_is_told_by_what_it_calls_for(line: str, expected: list[str]) -> None:
    assert reported(line) == expected
    assert reported("systemd[1]: Started a unit.", line) == expected
    assert reported(line, "systemd[1]: Started a unit.") == [], "one line is told once"


def test_every_fatal_error_is_a_condition_and_no_applications_error_is() -> None:
    for code in fatal_xids():
        (told,) = reported(f"{XID}{code}, pid=1, name=x, text")
        assert told.startswith(("GpuFault/", "GpuMemoryFault/")), code
    for code in application_xids():
        assert reported(f"{XID}{code}, pid=1, name=x, text") in (["XidApplication"], ["XidMemory"])


def test_the_name_of_a_program_forges_no_fault() -> None:
    line = "NVRM: Xid (PCI:0000:3b:00): 31, pid=12, name=): 79, text, Ch 00000010, MMU Fault"
    assert reported(line) == ["XidApplication"]


def test_patterns_are_ones_that_go_takes_and_that_hold_in_the_middle_of_a_log() -> None:
    for rule in MONITOR["rules"]:
        assert not re.search(r"\(\?|\\[1-9]|\^", rule["pattern"]), "RE2 has no such thing"


def test_every_condition_of_a_rule_is_told_as_healthy_at_first() -> None:
    declared = {one["type"] for one in MONITOR["conditions"]}
    assert {rule["condition"] for rule in MONITOR["rules"] if "condition" in rule} == declared
