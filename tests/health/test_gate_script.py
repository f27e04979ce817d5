"""The script of the gate's pod, run by a real shell against pretended tools of a node."""

from __future__ import annotations

import json
import os
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from pulumi_gpu_cluster.operations.node_work.verdict import Verdict, parse_verdict

SCRIPT = resources.files("pulumi_gpu_cluster.health").joinpath("gate.sh")

NVIDIA_SMI = """#!/bin/bash
case $1 in
  -L) cat "$NODE/listed" ;;
  -q) cat "$NODE/about" ;;
  --query-gpu=driver_version) printf '580.173.02\\n580.173.02\\n' ;;
  --query-gpu=vbios_version) printf '96.00.74.00.01\\n96.00.5E.00.01\\n' ;;
  --query-gpu=mig.mode.current) cat "$NODE/mig" ;;
  *) exit 6 ;;
esac
"""
DCGMI = """#!/bin/bash
[[ $1 == discovery ]] && exit 0
[[ "$*" == "diag -r 2 -j" ]] || exit 9
touch "$NODE/diagnosed"
cat "$NODE/report"
exit "$(cat "$NODE/code")"
"""


def report(memory: list[str], software: str = "Pass") -> str:
    """A report as dcgmi prints it: source: NVIDIA/DCGM dcgmi/Diag.cpp, dcgm_diag_schema.json."""

    def test(name: str, statuses: list[str]) -> dict[str, Any]:
        results: list[dict[str, Any]] = [
            {"entity_group": "GPU", "entity_group_id": 1, "entity_id": number, "status": status}
            for number, status in enumerate(statuses)
        ]
        for result in results:
            if result["status"] == "Fail":
                text = f'GPU {result["entity_id"]} has "status" : "Pass" no more'
                result["warnings"] = [{"error_id": 1, "warning": text}]
        summary = {"status": "Fail" if "Fail" in statuses else statuses[0]}
        return {"name": name, "results": results, "test_summary": summary}

    content = {
        "DCGM Diagnostic": {
            "test_categories": [
                {"category": "Deployment", "tests": [test("software", [software])]},
                {"category": "Hardware", "tests": [test("memory", memory)]},
            ]
        },
        "metadata": {"Driver Version Detected": "580.173.02"},
    }
    return json.dumps(content, indent="\t", separators=(",", " : "), sort_keys=True)


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A healthy node of two GPUs."""
    tools = tmp_path / "tools"
    tools.mkdir()
    quiet = "#!/bin/bash\nexit 0\n"
    for name, text in (("nvidia-smi", NVIDIA_SMI), ("dcgmi", DCGMI), ("nv-hostengine", quiet)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    listed = "GPU 0: NVIDIA H100 (UUID: GPU-1)\nGPU 1: NVIDIA H100 (UUID: GPU-2)\n"
    (tmp_path / "listed").write_text(listed)
    state = "    Fabric\n        State                 : Completed\n        Status : Success\n"
    (tmp_path / "about").write_text(state * 2)
    (tmp_path / "mig").write_text("Disabled\nDisabled\n")
    (tmp_path / "report").write_text(report(["Pass", "Pass"]))
    (tmp_path / "code").write_text("0")
    return tmp_path


def run(node: Path, mode: str = "diag") -> Verdict:
    message = node / "message"
    environment = {
        **os.environ,
        "PATH": f"{node / 'tools'}:{os.environ['PATH']}",
        "NODE": str(node),
        "GATE_MODE": mode,
        "GATE_MESSAGE": str(message),
        "GATE_FABRIC_SECONDS": "0",
    }
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
        check=False,
    )
    verdict = parse_verdict(message.read_text())
    assert verdict is not None, done.stdout + message.read_text()
    return verdict


def test_a_healthy_node_passes_with_what_it_was_verified_under(node: Path) -> None:
    assert run(node) == Verdict(
        mode="diag",
        gpus=2,
        slices=0,
        mig=False,
        driver="580.173.02",
        firmware="96.00.5E.00.01,96.00.74.00.01",
        fabric="completed",
        diag="pass",
        reason="",
    )


@pytest.mark.parametrize(
    ("memory", "code", "reason"),
    [
        (["Pass", "Fail"], "226", r"GPU 1 has \"status\" : \"Pass\" no more"),
        (["Pass", "Fail"], "0", r"GPU 1 has \"status\" : \"Pass\" no more"),
        (["Pass"], "0", "exit code 0, memory passed on 1 of 2 GPUs, 0 results failed"),
        (["Skip", "Skip"], "0", "exit code 0, memory passed on 0 of 2 GPUs, 0 results failed"),
        (["Pass", "Pass"], "205", "exit code 205, memory passed on 2 of 2 GPUs, 0 results failed"),
    ],
    ids=["fails", "fails-silently", "one-not-tested", "all-skipped", "ends-badly"],
)
def test_a_diagnosis_passes_only_if_each_gpu_was_tested_and_nothing_failed(
    node: Path, memory: list[str], code: str, reason: str
) -> None:
    (node / "report").write_text(report(memory))
    (node / "code").write_text(code)
    verdict = run(node)
    assert (verdict.diag, verdict.reason) == ("fail", reason)


def test_no_report_at_all_is_a_failure(node: Path) -> None:
    (node / "report").write_text("Error: unable to connect to host engine\n")
    assert run(node).diag == "fail"


@pytest.mark.parametrize(
    ("about", "fabric"),
    [
        (
            "    Fabric\n        State : Completed\n    Fabric\n        State : In Progress\n",
            "in-progress",
        ),
        ("    Fabric\n        State : N/A\n        Status : N/A\n", "none"),
        ("    Product Name : NVIDIA A100\n", "none"),
    ],
    ids=["one-gpu-is-not-in-the-fabric-yet", "no-fabric", "a-driver-that-knows-none"],
)
def test_the_fabric_is_told_by_its_worst_gpu(node: Path, about: str, fabric: str) -> None:
    (node / "about").write_text(about)
    assert run(node).fabric == fabric


def test_with_mig_on_nothing_is_diagnosed(node: Path) -> None:
    (node / "mig").write_text("Disabled\nEnabled\n")
    verdict = run(node)
    assert (verdict.mig, verdict.diag, verdict.reason) == (True, "not-run", "MIG is on")
    assert not (node / "diagnosed").exists()


def test_slices_are_counted_and_not_diagnosed(node: Path) -> None:
    gpu = "GPU {0}: NVIDIA H100 (UUID: GPU-{0})\n"
    cut = "  MIG 3g.40gb     Device  0: (UUID: MIG-a)\n  MIG 3g.40gb     Device  1: (UUID: MIG-b)\n"
    (node / "listed").write_text(gpu.format(0) + cut + gpu.format(1) + cut)
    (node / "mig").write_text("Enabled\nEnabled\n")
    verdict = run(node, "slices")
    assert (verdict.gpus, verdict.slices, verdict.diag) == (2, 4, "not-run")
    assert not (node / "diagnosed").exists()
