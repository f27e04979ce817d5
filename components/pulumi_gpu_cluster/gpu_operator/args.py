"""The site file's section on the NVIDIA GPU Operator."""

from __future__ import annotations

from pulumi_gpu_cluster.section import DnsLabel, Section


class GpuOperatorArgs(Section):
    """How the GPU Operator is installed; what it manages comes from the node pools."""

    namespace: DnsLabel = "gpu-operator"
    """Namespace of the operator and its operands."""

    dcgm_exporter: bool = True
    """Whether GPU metrics are exported."""
