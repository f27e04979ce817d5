"""The site file's section on the health of nodes."""

from __future__ import annotations

from pydantic import Field

from pulumi_gpu_cluster.section import DnsLabel, Section


class ProblemDetectorArgs(Section):
    """node-problem-detector, which turns what the kernel logs into conditions of the node."""

    enabled: bool = True
    """Whether it runs on every node."""

    namespace: DnsLabel = "node-problem-detector"
    """Its namespace."""


class GateArgs(Section):
    """The gate: GPU nodes of pools with `nodes:` take work once it has passed them."""

    enabled: bool = True
    """Whether new GPU nodes are held back and verified. Nodes that worked before stay at work."""

    namespace: DnsLabel = "gpu-cluster-gate"
    """Namespace of its pods. `gpu-cluster node gate` by hand takes another than the default one
    by --namespace."""


class HealthArgs(Section):
    """How faults of nodes are found, and what a new GPU node has to pass."""

    problem_detector: ProblemDetectorArgs = Field(default_factory=ProblemDetectorArgs)
    """node-problem-detector: conditions and events for XIDs, ECC errors and NVSwitch errors."""

    gate: GateArgs = Field(default_factory=GateArgs)
    """What a new GPU node has to pass: all GPUs answer, `dcgmi diag -r 2`, MIG instances."""
