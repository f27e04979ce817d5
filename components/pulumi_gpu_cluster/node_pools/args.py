"""The site file's section on node pools."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.network.fabric_args import Fabric
from pulumi_gpu_cluster.node_pools.driver_args import Driver
from pulumi_gpu_cluster.node_pools.gpu_args import GpuArgs
from pulumi_gpu_cluster.node_pools.mig_args import MigArgs
from pulumi_gpu_cluster.node_pools.sharing_args import SharingArgs
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.section import (
    DnsLabel,
    FrozenMap,
    Hostlist,
    Positive,
    Quantity,
    Section,
    Whole,
    shorthand,
)


class TaintArgs(Section):
    """A taint that keeps pods without a matching toleration off a pool."""

    key: str
    """The taint's key, for example nvidia.com/gpu."""

    value: str = ""
    """The taint's value."""

    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What happens to pods that do not tolerate it."""


_MIG = shorthand("layout", str, wanted="the name of a layout such as all-3g.40gb")


# Less is a forgotten unit: `memory: 1800` counts bytes.
_LEAST_MEMORY: Final = 2**28


def _some(amount: str) -> str:
    if value(amount) < _LEAST_MEMORY:
        raise ValueError(
            "is less than any node has; write what pods can have of a node, for example 1800Gi"
        )
    return amount


class NodePoolArgs(Section):
    """Nodes that are alike: the same GPUs, driver, layout and purpose."""

    name: DnsLabel
    """Name of the pool; also the value of the label gpu-cluster.io/pool on its nodes."""

    nodes: Hostlist | None = None
    """The pool's nodes as a hostlist, for example gpu[01-12]. We label them. Excludes
    `selector`."""

    selector: FrozenMap[str] | None = None
    """Labels that the pool's nodes already carry, as on managed clouds. We never touch those
    nodes. Excludes `nodes`."""

    count: Positive | None = None
    """With `selector`: how many nodes there are."""

    min: Whole | None = None
    """With `selector` on a pool that scales: the fewest nodes; capacity is proven against it."""

    max: Positive | None = None
    """With `selector` on a pool that scales: the most nodes."""

    workload: Literal["kubernetes", "slurm"] = "kubernetes"
    """Who schedules the pool. `slurm`: its nodes run slurmd, carry a taint that keeps other pods
    away, and tenants' quotas on it become Slurm's limits."""

    cpus: Positive
    """CPUs per node that pods can have, in cores."""

    memory: Annotated[Quantity, AfterValidator(_some)]
    """Memory per node that pods can have, for example 1800Gi."""

    gpu: GpuArgs | None = None
    """The GPUs of each node; none for a CPU pool."""

    driver: Driver | None = None
    """Driver pin: a version (`580.173.02`) or an object. Needed with `gpu`."""

    mig: Annotated[MigArgs, BeforeValidator(_MIG, json_schema_input_type=str | MigArgs)] | None = (
        None
    )
    """MIG layout: its name (`all-3g.40gb`), or an object for layouts of single nodes or of your
    own. Whole GPUs without it."""

    sharing: SharingArgs | None = None
    """How several pods share each GPU or MIG instance. Each is one pod's without it."""

    fabric: Fabric | None = None
    """The fast network between the pool's nodes: its name (`ndr400`, `roce-400`) or an object."""

    labels: FrozenMap[str] = Field(default_factory=dict)
    """More labels for the pool's nodes. Only with `nodes`."""

    taints: tuple[TaintArgs, ...] = ()
    """Taints of the pool. With `nodes` we set them; with `selector` they exist already."""

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Names of the nodes; empty for a pool that is found by a selector."""
        return expand(self.nodes) if self.nodes is not None else ()

    @property
    def size(self) -> int:
        """How many nodes capacity may be proven against."""
        if self.nodes is not None:
            return len(self.node_names)
        return self.min if self.min is not None else self.count or 0

    @property
    def largest(self) -> int:
        """The most nodes there can be."""
        return self.max if self.max is not None else self.size
