"""Alerts on Slurm's nodes, as promtool evaluates them on what its controller tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from made_site import cpu_pool, gpu_pool, made_site
from prometheus_checks import expect, promtool, rehearsal, rehearse, run, write_rules

from pulumi_gpu_cluster.monitoring.alerts.slurm import slurm_alerts
from pulumi_gpu_cluster.monitoring.alerts.usage import usage

POOLS = made_site(node_pools=[gpu_pool(workload="slurm"), cpu_pool(workload="slurm")]).node_pools
GROUP = slurm_alerts(POOLS)
GROUPS = (usage(POOLS), GROUP)

Series = dict[str, str]
_OF = 'job="slurmctld"'
_WELL: Series = {f"slurm_nodes{{{_OF}}}": "1x90", f"slurm_nodes_invalid_reg{{{_OF}}}": "0x90"}


def _node(name: str, pool: str = "train") -> Series:
    """A node of a pool, as Kubernetes knows it."""
    labels = f'job="kube-state-metrics", node="{name}", label_gpu_cluster_io_pool="{pool}"'
    return {f"kube_node_labels{{{labels}}}": "1x90"}


def _counted(name: str, gpus: str, cpus: str = "192x90") -> Series:
    """The node, as Slurm counts it."""
    node = f'{_OF}, node="{name}"'
    return {f"slurm_node_gpus{{{node}}}": gpus, f"slurm_node_cpus{{{node}}}": cpus}


def _rehearse(folder: Path, series: Series, *expectations: dict[str, Any]) -> None:
    rehearse(folder, GROUPS, [rehearsal({**_WELL, **series}, *expectations)])


def test_promtool_finds_nothing_wrong_with_the_rules_on_slurm(tmp_path: Path) -> None:
    said = run(promtool(), "check", "rules", write_rules(tmp_path, GROUPS))
    assert f"{sum(len(group.rules) for group in GROUPS)} rules found" in said


def test_a_node_that_registered_without_its_gpus_is_told_until_it_has_them(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {
            **_node("gpu01"),
            **_counted("gpu01", "8x90"),
            **_node("gpu02"),
            **_counted("gpu02", "0x40 8x50"),
        },
        expect(GROUP, "SlurmGpusMissing", "8m"),
        expect(GROUP, "SlurmGpusMissing", "30m", {"node": "gpu02"}, text={"{{ $value }}": "0"}),
        expect(GROUP, "SlurmGpusMissing", "50m"),
    )


def test_a_node_whose_name_has_a_domain_is_found_by_its_first_part(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {**_node("gpu01.cluster.example"), **_counted("gpu01", "7x90")},
        expect(GROUP, "SlurmGpusMissing", "30m", {"node": "gpu01"}, text={"{{ $value }}": "7"}),
        expect(GROUP, "SlurmNodeMissing", "60m"),
    )


def test_a_node_without_gpus_is_not_told_for_having_none(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {**_node("cpu1", "general"), **_counted("cpu1", "0x90")},
        expect(GROUP, "SlurmGpusMissing", "30m"),
    )


def test_a_node_that_slurm_refused_is_told_though_it_is_counted_as_configured(
    tmp_path: Path,
) -> None:
    _rehearse(
        tmp_path,
        {
            **_node("gpu01"),
            **_counted("gpu01", "8x90"),
            f"slurm_nodes_invalid_reg{{{_OF}}}": "0x5 1x30 0x50",
        },
        expect(GROUP, "SlurmNodesRefused", "10m"),
        expect(GROUP, "SlurmNodesRefused", "25m", {}, text={"{{ $value }}": "1"}),
        expect(GROUP, "SlurmNodesRefused", "60m"),
    )


def test_a_node_that_never_came_to_slurm_is_told_with_its_pool(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {**_node("gpu01"), **_counted("gpu01", "8x90"), **_node("gpu02")},
        expect(GROUP, "SlurmNodeMissing", "20m"),
        expect(GROUP, "SlurmNodeMissing", "40m", {"node": "gpu02", "pool": "train"}),
    )


def test_when_slurm_is_silent_that_is_one_alert_and_not_one_for_each_node(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {**dict.fromkeys(_WELL, ""), **_node("gpu01"), **_node("gpu02")},
        expect(GROUP, "SlurmStateUnknown", "20m", {"job": "slurmctld"}),
        expect(GROUP, "SlurmNodeMissing", "60m"),
    )
