"""The metrics that DCGM exporter is told to export. Its list replaces the exporter's own.

source: NVIDIA/dcgm-exporter 4.5.3-4.8.2 etc/dcp-metrics-included.csv and default-counters.csv
(names and types), NVIDIA/DCGM v4.6.0 dcgmlib/dcgm_fields.h (meaning). DCGM 4.6 renames some
fields and keeps the old names; a metric is called as it is spelt here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class DcgmMetric:
    """One metric.

    Attributes:
        name: Name of DCGM's field, and of the metric.
        kind: What its value is: a gauge, a counter, or text that becomes a label of the others.
        help: What it says. No commas: it is a column of a CSV file.
    """

    name: str
    kind: Literal["gauge", "counter", "label"]
    help: str


METRICS: Final = (
    # How busy a GPU is.
    DcgmMetric("DCGM_FI_DEV_GPU_UTIL", "gauge", "Time with any kernel running in percent"),
    DcgmMetric("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Time with memory traffic in percent"),
    DcgmMetric("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Part of the time the engine works 0-1"),
    DcgmMetric("DCGM_FI_PROF_SM_ACTIVE", "gauge", "Part of the multiprocessors at work 0-1"),
    DcgmMetric("DCGM_FI_PROF_SM_OCCUPANCY", "gauge", "Part of the warps in use 0-1"),
    DcgmMetric("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Part of the tensor cycles used 0-1"),
    DcgmMetric("DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Part of the memory cycles used 0-1"),
    DcgmMetric("DCGM_FI_DEV_FB_USED", "gauge", "Memory in use in MiB"),
    DcgmMetric("DCGM_FI_DEV_FB_FREE", "gauge", "Memory free in MiB"),
    DcgmMetric("DCGM_FI_DEV_FB_RESERVED", "gauge", "Memory the driver keeps in MiB"),
    DcgmMetric("DCGM_FI_DEV_SM_CLOCK", "gauge", "Clock of the multiprocessors in MHz"),
    # Heat and power.
    DcgmMetric("DCGM_FI_DEV_GPU_TEMP", "gauge", "Temperature of the GPU in degrees Celsius"),
    DcgmMetric("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Temperature of memory in degrees Celsius"),
    DcgmMetric("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power drawn in W"),
    DcgmMetric("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since boot in mJ"),
    DcgmMetric("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "gauge", "Bits of why clocks are held down"),
    DcgmMetric("DCGM_FI_DEV_POWER_VIOLATION", "counter", "Time slowed by the power limit in ns"),
    DcgmMetric("DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "Time slowed by heat in ns"),
    # Errors. The gauge of the last XID stays until the exporter restarts, so nothing here relies
    # on it; the count is of a sliding window.
    DcgmMetric("DCGM_FI_DEV_XID_ERRORS", "gauge", "The last XID"),
    DcgmMetric("DCGM_EXP_XID_ERRORS_COUNT", "gauge", "XIDs within the last five minutes"),
    DcgmMetric("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "Single bit errors since driver load"),
    DcgmMetric("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Double bit errors since driver load"),
    DcgmMetric("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for good"),
    DcgmMetric("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped as a caution"),
    DcgmMetric("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether a row could not be remapped"),
    DcgmMetric("DCGM_FI_DEV_ROW_REMAP_PENDING", "gauge", "Whether a remap waits for a reset"),
    DcgmMetric("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries"),
    # Links between GPUs.
    DcgmMetric("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink traffic of all lanes"),
    DcgmMetric("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "counter", "NVLink flit errors"),
    DcgmMetric("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "counter", "NVLink data errors"),
    DcgmMetric("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "counter", "NVLink retries"),
    DcgmMetric("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "NVLink recoveries"),
    # On every other metric.
    DcgmMetric("DCGM_FI_DRIVER_VERSION", "label", "Driver"),
)
"""Every metric, in the order of the file."""

ATTRIBUTES_SHARES_FROM: Final = (4, 8, 2)
"""The exporter's version from which on a pod's own work on a shared GPU is known. Earlier ones give
each of its pods the whole GPU's, or one of them all of it.

source: NVIDIA/dcgm-exporter 4.5.3-4.8.2 internal/pkg/transformation/kubernetes.go
(isPerProcessMetric), which 4.5.2-4.8.1 does not have
"""


def metrics_csv() -> str:
    """The list as the exporter reads it."""
    return "".join(f"{metric.name}, {metric.kind}, {metric.help}\n" for metric in METRICS)
