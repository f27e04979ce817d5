"""GPU use per node."""

from __future__ import annotations

from typing import Final

from grafana_foundation_sdk.builders.dashboard import Dashboard, Row

from pulumi_gpu_cluster.monitoring.dashboards.panels import choice, curves, frame, number
from pulumi_gpu_cluster.monitoring.promql import (
    DCGM_JOB,
    DRIVER_STATE,
    GPU_BUSY,
    NODE_POOL,
)

_OF: Final = f'{{job="{DCGM_JOB}", node=~"$node"}}'
_LEGEND: Final = "{{node}}"
_GPU_LEGEND: Final = "{{node}} GPU {{gpu}}"


def gpu_nodes(uid: str) -> Dashboard:
    """What each node's GPUs do, how hot they are, and what is wrong with them."""
    in_pool = f'on (node) group_left (pool) {NODE_POOL}{{pool=~"$pool", gpu="true"}}'
    board = frame(uid, "GPUs by node", "What each node's GPUs do and what is wrong with them.")
    return (
        board.with_variable(choice("pool", "Pool", f'{NODE_POOL}{{gpu="true"}}'))
        .with_variable(choice("node", "Node", f'{NODE_POOL}{{gpu="true", pool=~"$pool"}}'))
        .with_panel(
            number(
                "GPUs seen",
                "GPUs and MIG instances whose metrics arrive.",
                f'count({GPU_BUSY}{{node=~"$node"}})',
            )
        )
        .with_panel(
            number(
                "At work",
                "Part of all of them that works, on average.",
                f'avg({GPU_BUSY}{{node=~"$node"}})',
                unit="percentunit",
            )
        )
        .with_panel(
            number(
                "Nodes without GPU metrics",
                "Nodes of a GPU pool whose exporter is not read.",
                f'count({NODE_POOL}{{gpu="true", pool=~"$pool"}} unless on (node) '
                f'(max by (node) (up{{job="{DCGM_JOB}"}}) == 1))',
                red_from=1,
            )
        )
        .with_panel(
            number(
                "Drivers not ready",
                "Pools whose driver is not in place on all nodes.",
                f'sum({DRIVER_STATE}{{state="notReady"}})',
                red_from=1,
            )
        )
        .with_row(Row("Work"))
        .with_panel(
            curves(
                "GPUs at work",
                "Average over each node's GPUs and MIG instances.",
                {"{{pool}} {{node}}": f'avg by (node) ({GPU_BUSY}{{node=~"$node"}}) * {in_pool}'},
                unit="percentunit",
                highest=1,
            )
        )
        .with_panel(
            curves(
                "Tensor cores at work",
                "Low while GPUs are at work: the program does not use what it was given.",
                {_LEGEND: f"avg by (node) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{_OF})"},
                unit="percentunit",
                highest=1,
            )
        )
        .with_panel(
            curves(
                "Memory in use",
                "Sum over each node's GPUs.",
                {_LEGEND: f"sum by (node) (DCGM_FI_DEV_FB_USED{_OF})"},
                unit="mbytes",
            )
        )
        .with_panel(
            curves(
                "Power",
                "Sum over each node's GPUs.",
                {_LEGEND: f"sum by (node) (max by (node, gpu) (DCGM_FI_DEV_POWER_USAGE{_OF}))"},
                unit="watt",
            )
        )
        .with_row(Row("Health"))
        .with_panel(
            curves(
                "Temperature of the hottest GPU",
                "Of each node.",
                {_LEGEND: f"max by (node) (DCGM_FI_DEV_GPU_TEMP{_OF})"},
                unit="celsius",
            )
        )
        .with_panel(
            curves(
                "Time slowed down by heat or power limit",
                "Part of the time, of each node's worst GPU.",
                {
                    "{{node}} heat": "max by (node) (rate(DCGM_FI_DEV_THERMAL_VIOLATION"
                    f"{_OF}[$__rate_interval])) / 1e9",
                    "{{node}} power": "max by (node) (rate(DCGM_FI_DEV_POWER_VIOLATION"
                    f"{_OF}[$__rate_interval])) / 1e9",
                },
                unit="percentunit",
            )
        )
        .with_panel(
            curves(
                "XIDs",
                "Errors that the driver reported within five minutes.",
                {
                    f"{_GPU_LEGEND} XID {{{{xid}}}}": "max by (node, gpu, xid) "
                    f"(DCGM_EXP_XID_ERRORS_COUNT{_OF}) > 0"
                },
            )
        )
        .with_panel(
            curves(
                "Memory errors that could not be corrected",
                "Since the driver was loaded.",
                {_GPU_LEGEND: f"max by (node, gpu) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{_OF}) > 0"},
            )
        )
    )
