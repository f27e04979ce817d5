"""Alerts about GPUs: heat, errors, idleness, and metrics that do not come."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog.xids import application_xids, fatal_xids, xids
from pulumi_gpu_cluster.monitoring.alerts.rule import Alert, Group
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs
from pulumi_gpu_cluster.monitoring.promql import (
    DCGM_JOB,
    GPU_BUSY,
    NODE_POOL,
    any_of,
    matchers,
)

_GPU: Final = "node, gpu, UUID, modelName"
_WHICH: Final = "GPU {{ $labels.gpu }} of node {{ $labels.node }}"
# A pod that waits for data drops to nothing for minutes without being idle.
_IDLE_BELOW: Final = 0.05
_IDLE_WINDOW: Final = "10m"


def gpu_alerts(args: MonitoringArgs) -> Group:
    """What may go wrong with a GPU."""
    return Group(
        "gpu-cluster-gpus",
        (
            _too_hot(args.degrees),
            _fatal_xid(),
            _other_xid(),
            _application_xid(),
            _double_bit(),
            _remap_failed(),
            _idle(args.idle_after),
            _metrics_missing(),
        ),
    )


def _too_hot(limit: int) -> Alert:
    of = matchers(DCGM_JOB)
    return Alert(
        "GpuTooHot",
        f"max by ({_GPU}) (DCGM_FI_DEV_GPU_TEMP{of}) > {limit}",
        "warning",
        f"{_WHICH} is at {{{{ $value }}}} degrees Celsius",
        f"It is above {limit} degrees for five minutes and will slow down. Look at fans and air "
        "of the node, and at its neighbours: if they are hot too, it is the room.",
        hold="5m",
    )


def _fatal_xid() -> Alert:
    return Alert(
        "GpuXidFatal",
        _xid_count(f"{_GPU}, xid", f'xid=~"{any_of(fatal_xids())}"'),
        "critical",
        f"{_WHICH} reported XID {{{{ $labels.xid }}}}",
        "After this error the GPU is of no use until it is reset, its node restarted or its "
        "hardware seen to. Drain the node and look the number up in NVIDIA's XID catalogue.",
    )


def _other_xid() -> Alert:
    harmless = (xid.code for xid in xids().values() if xid.remedy == "informational")
    expected = any_of(sorted({*fatal_xids(), *application_xids(), *harmless}))
    return Alert(
        "GpuXidUnclear",
        _xid_count(f"{_GPU}, xid", f'xid!~"{expected}"'),
        "warning",
        f"{_WHICH} reported XID {{{{ $labels.xid }}}}",
        "NVIDIA's catalogue names no remedy for this error, or one that depends on what else "
        "happened. Look for others on the same node at the same time.",
    )


def _application_xid() -> Alert:
    count = _xid_count(
        f"{_GPU}, xid, exported_namespace, exported_pod", f'xid=~"{any_of(application_xids())}"'
    )
    return Alert(
        "GpuXidApplication",
        f'label_replace({count}, "tenant", "$1", "exported_namespace", "(.+)")',
        "info",
        f"A program on {_WHICH} failed with XID {{{{ $labels.xid }}}}",
        "As a rule the program is at fault and the GPU is sound. Where it comes back on this GPU "
        "with other programs, it is the GPU.",
    )


def _xid_count(by: str, which: str) -> str:
    # The count of a window, and not DCGM_FI_DEV_XID_ERRORS: that one keeps the last number until
    # the exporter restarts, so its alert would neither resolve nor tell the same error again.
    return f'max by ({by}) (DCGM_EXP_XID_ERRORS_COUNT{{job="{DCGM_JOB}", {which}}}) > 0'


def _double_bit() -> Alert:
    of = matchers(DCGM_JOB)
    return Alert(
        "GpuMemoryDoubleBitError",
        f"max by ({_GPU}) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{of}) > 0",
        "critical",
        f"{_WHICH} had {{{{ $value }}}} memory errors that could not be corrected",
        "Results since then may be wrong. Drain the node and reset the GPU, which clears this "
        "alert; where it comes back, have the GPU replaced.",
    )


def _remap_failed() -> Alert:
    of = matchers(DCGM_JOB)
    return Alert(
        "GpuMemoryRowRemapFailed",
        f"max by ({_GPU}) (DCGM_FI_DEV_ROW_REMAP_FAILURE{of}) > 0",
        "critical",
        f"{_WHICH} has no spare memory rows left",
        "A bad row could not be replaced. Drain the node and have the GPU replaced.",
    )


def _idle(after: str) -> Alert:
    return Alert(
        "GpuHeldIdle",
        f'max_over_time({GPU_BUSY}{{exported_pod!=""}}[{_IDLE_WINDOW}]) < {_IDLE_BELOW}',
        "info",
        "Pod {{ $labels.exported_pod }} of {{ $labels.tenant }} holds an idle GPU on "
        "{{ $labels.node }}",
        f"It has not used the GPU for {after}. End it, so that others may have the GPU.",
        hold=after,
    )


def _metrics_missing() -> Alert:
    of = matchers(DCGM_JOB)
    return Alert(
        "GpuMetricsMissing",
        f'{NODE_POOL}{{gpu="true"}} unless on (node) (max by (node) (up{of}) == 1)',
        "warning",
        "No GPU metrics come from node {{ $labels.node }} of pool {{ $labels.pool }}",
        "No alert on this node's GPUs can fire. Look at the pod of nvidia-dcgm-exporter there, "
        "and at the driver.",
        hold="15m",
    )
