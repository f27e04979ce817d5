"""gpu-cluster capacity."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_site import gpu_pool, raw_site, stack_text, tenant

from pulumi_gpu_cluster.cli.bars import bar
from pulumi_gpu_cluster.cli.capacity import command


def _write(path: Path, **changes: object) -> str:
    path.write_text(stack_text(raw_site(**changes)))
    return str(path)


def test_the_table_shows_each_resource_of_each_pool_and_each_share(tmp_path: Path) -> None:
    file = _write(
        tmp_path / "site.yaml",
        node_pools=[gpu_pool(mig="all-3g.40gb")],
        tenants=[tenant(quota={"train": {"mig-3g.40gb": {"guarantee": 16, "ceiling": 32}}})],
    )
    result = CliRunner().invoke(command, [file])
    assert result.exit_code == 0
    assert result.output == (
        "site lab\n"
        "\n"
        "pool train: 4 nodes, 8 x H100-SXM5-80GB each, MIG all-3g.40gb (mixed), driver 580.173.02\n"
        "\n"
        "pool   resource      total  promised    free\n"
        "train  mig-3g.40gb      64        16      48  █████░░░░░░░░░░░░░░░  25 %\n"
        "train  cpu             768       192     576  █████░░░░░░░░░░░░░░░  25 %\n"
        "train  memory       7200Gi    1800Gi  5400Gi  █████░░░░░░░░░░░░░░░  25 %\n"
        "\n"
        "tenant   pool   resource     guarantee  ceiling\n"
        "ml-team  train  mig-3g.40gb         16       32\n"
        "ml-team  train  cpu                192      384\n"
        "ml-team  train  memory          1800Gi   3600Gi\n"
    )


def test_a_program_reads_numbers_in_pieces_cores_and_bytes(tmp_path: Path) -> None:
    file = _write(tmp_path / "site.yaml", node_pools=[gpu_pool()], tenants=[tenant()])
    result = CliRunner().invoke(command, [file, "--format", "json"])
    report = json.loads(result.output)
    assert report["pools"] == [
        {
            "name": "train",
            "workload": "kubernetes",
            "nodes": 4,
            "resources": {
                "nvidia.com/gpu": {"total": 32, "promised": 8, "free": 24},
                "cpu": {"total": 768, "promised": 192, "free": 576},
                "memory": {
                    "total": 7200 * 2**30,
                    "promised": 1800 * 2**30,
                    "free": 5400 * 2**30,
                },
            },
        }
    ]
    assert report["tenants"][0]["pools"]["train"]["cpu"] == {"guarantee": 192, "ceiling": 192}


def test_a_site_that_promises_too_much_is_shown_with_what_is_missing(tmp_path: Path) -> None:
    file = _write(tmp_path / "site.yaml", tenants=[tenant(quota={"train": {"gpu": 40}})])
    result = CliRunner().invoke(command, [file])
    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if line.startswith("train    gpu "))
    assert row.split() == ["train", "gpu", "32", "40", "-8", "█" * 20, "125", "%"]
    assert result.stderr == f"the site has 1 error: gpu-cluster check {file}\n"


def test_a_file_without_a_site_is_refused_as_check_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.touch()
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"error empty-file {path}: ")


def test_a_terminal_without_block_characters_gets_plain_ones(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pulumi_gpu_cluster.cli", "capacity", "stacks/Pulumi.sandbox.yaml"],
        cwd=root,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"  ###############.....  75 %" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("part", "whole", "drawn"),
    [
        (0, 32, "....................   0 %"),
        (1, 1000, "#...................   0 %"),
        (16, 32, "##########..........  50 %"),
        (999, 1000, "###################.  99 %"),
        (32, 32, "#################### 100 %"),
        (40, 32, "#################### 125 %"),
        (0, 0, "....................   0 %"),
    ],
)
def test_a_bar_shows_something_as_something_and_only_all_as_all(
    part: int, whole: int, drawn: str
) -> None:
    assert bar(Fraction(part), Fraction(whole), draw=False) == drawn
