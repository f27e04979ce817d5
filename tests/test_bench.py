"""What the measurements compare has to be comparable."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_bare_program_of_the_bench_registers_exactly_what_ours_does(
    root: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.registration", "list", "3", "2", str(tmp_path / "recorded")],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def test_a_program_loads_only_the_parts_that_its_site_has(root: Path) -> None:
    loaded = (
        "import sys, pulumi; from bench.registration import record; record(2, 1); "
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=root, capture_output=True, text=True, check=True
    )
    absent = (
        "grafana_foundation_sdk",
        "lightkube",
        "pulumi_gpu_cluster.slurm.component",
        "pulumi_gpu_cluster.monitoring.component",
        "pulumi_gpu_cluster.storage.ceph.component",
        "pulumi_gpu_cluster.workloads.jupyterhub.component",
        "pulumi_kubernetes.apps.v1",
        "pulumi_kubernetes.batch.v1",
    )
    modules = done.stdout.split()
    assert "pulumi_gpu_cluster.tenancy.component" in modules, "otherwise this test sees nothing"
    assert not [module for module in modules if module.startswith(absent)]


def test_the_command_that_runs_for_each_node_waits_for_no_model_of_the_site_file(
    root: Path,
) -> None:
    loaded = (
        "import sys, pulumi_gpu_cluster.operations.node_work.command; "
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=root, capture_output=True, text=True, check=True
    )
    modules = done.stdout.split()
    assert "pulumi_gpu_cluster.operations.node_work.gate" in modules
    assert "pulumi_gpu_cluster.operations.node_work.driver_waves" in modules
    assert not [module for module in modules if module.split(".")[0] in ("pydantic", "pulumi")]
