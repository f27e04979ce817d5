"""The package's front door: what it offers, and what it does not drag along."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pulumi_gpu_cluster


@pytest.mark.parametrize("name", pulumi_gpu_cluster.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(pulumi_gpu_cluster, name).__name__ == name


def test_a_name_that_is_not_there_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'GpuClutser'"):
        getattr(pulumi_gpu_cluster, "Gpu" + "Clutser")


@pytest.mark.parametrize(
    "module",
    ["pulumi_gpu_cluster", "pulumi_gpu_cluster.reading.loading", "pulumi_gpu_cluster.cli.main"],
)
def test_reading_a_site_needs_no_pulumi(module: str) -> None:
    program = f"import sys, {module}; sys.exit('pulumi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
