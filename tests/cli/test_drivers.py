"""gpu-cluster drivers."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from made_site import cpu_pool, gpu_pool, raw_site, stack_text

from pulumi_gpu_cluster.cli.drivers import command

POOLS = [
    gpu_pool(driver="580.173.02"),
    gpu_pool("serve", driver="595.91.07", mig="all-3g.40gb"),
    gpu_pool("old", driver={"source": "host", "version": "535.309.01"}),
    gpu_pool("cloud", driver={"source": "managed"}),
    gpu_pool("volta", gpu={"model": "V100-SXM2-32GB"}, driver="595.91.07"),
    gpu_pool("wrong", gpu={"model": "B200-SXM-180GB"}, driver="535.309.01"),
    gpu_pool("lasting", driver="580.178.04"),
    cpu_pool(),
]


def _file(path: Path, pools: list[dict[str, object]]) -> str:
    path.write_text(stack_text(raw_site(node_pools=pools)))
    return str(path)


def test_the_table_says_how_long_each_driver_lives_and_what_comes_next(tmp_path: Path) -> None:
    file = _file(tmp_path / "site.yaml", POOLS)
    result = CliRunner().invoke(command, [file, "--as-of", "2026-12-01"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "site lab, as of 2026-12-01"
    blank = lines.index("", 2)
    head, *rows = lines[2:blank]
    starts = [head.index(word) for word in ("GPU", "driver", "branch", "supported", "next")]
    cells = [[row[start:].split("  ")[0] for start in starts] for row in rows]
    h100 = "H100-SXM5-80GB"
    assert cells == [
        [
            h100,
            "580.173.02",
            "580 long-term",
            "2028-06-30",
            "move to 580.178.04, of the same branch",
        ],
        [
            h100,
            "595.91.07",
            "595 production",
            "2027-03-31",
            "before 2027-03-31: 580.178.04, or what a newer GPU Operator brings",
        ],
        [
            h100,
            "535.309.01",
            "535 long-term",
            "2026-06-30 (ended)",
            "move to 580.178.04: branch ended on 2026-06-30",
        ],
        [h100, "-", "-", "-", "state its version, to have it judged"],
        [
            "V100-SXM2-32GB",
            "595.91.07",
            "595 production",
            "2027-03-31",
            "go back to 580.178.04: 580 is the last branch for Volta",
        ],
        [
            "B200-SXM-180GB",
            "535.309.01",
            "535 long-term",
            "2026-06-30 (ended)",
            "move to 580.178.04: older than 570",
        ],
        [h100, "580.178.04", "580 long-term", "2028-06-30", "nothing"],
    ]
    notes = lines[blank + 1 : -1]
    assert notes[0] == "pool old: the host runs Fabric Manager of exactly the driver's version"
    assert notes[1].startswith("pool wrong: the host loads ib_umad and mlx5_ib before the driver")
    assert len(notes) == 2
    assert lines[-1].startswith("the site has 2 errors: gpu-cluster check")


def test_another_day_brings_another_next_step(tmp_path: Path) -> None:
    file = _file(tmp_path / "site.yaml", [gpu_pool(driver="580.178.04")])
    late = CliRunner().invoke(command, [file, "--as-of", "2028-05-01"]).output
    assert "before 2028-06-30: 580.178.04" not in late, "what ends cannot be where to go"
    assert "before 2028-06-30: " in late


def test_a_program_reads_the_matrix_as_json(tmp_path: Path) -> None:
    file = _file(tmp_path / "site.yaml", [gpu_pool(driver="580.173.02"), cpu_pool()])
    result = CliRunner().invoke(command, [file, "--as-of", "2026-12-01", "--format", "json"])
    report = json.loads(result.stdout)
    assert (report["site"], report["as_of"]) == ("lab", "2026-12-01")
    assert report["pools"] == [
        {
            "pool": "train",
            "gpu": "H100-SXM5-80GB",
            "source": "operator",
            "driver": "580.173.02",
            "oldest": "525",
            "branch": 580,
            "kind": "long-term",
            "supported_until": "2028-06-30",
            "is_over": False,
            "kernel_module": "auto",
            "cuda": "13.0",
            "cuda_major": 13,
            "next_step": "move to 580.178.04, of the same branch",
            "notes": [],
        }
    ]


def test_a_site_without_gpus_has_no_table(tmp_path: Path) -> None:
    file = _file(tmp_path / "site.yaml", [cpu_pool()])
    assert "has no pool with GPUs" in CliRunner().invoke(command, [file]).output


def test_a_file_that_cannot_be_read_is_told_as_check_tells_it(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text("config: {}\n")
    result = CliRunner().invoke(command, [str(file)])
    assert result.exit_code == 1
    assert "error" in result.output
