"""What a node pool registers about itself, so that policies can judge the rest of the stack.

A resource policy sees a component's inputs, a stack policy sees its outputs: the component gives
this mapping to both, `super().__init__(NODE_POOL_TYPE, name, props, opts)` and
`register_outputs({**props, ...})`. Nothing here is secret or unknown during a preview.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

NODE_POOL_TYPE: Final = "gpu-cluster:node-pools:NodePool"
"""Type token of the component; lives in users' state, so it never changes."""

POOL_LABEL: Final = "gpu-cluster.io/pool"
"""Label on a node that names its pool."""

WORKLOAD_KEY: Final = "gpu-cluster.io/workload"
"""Key of the label and of the taint of pools that Kubernetes does not schedule."""

UNVERIFIED_TAINT: Final = "gpu-cluster.io/unverified"
"""Key of the taint (NoSchedule) that holds a new GPU node back until the gate has passed it."""

MIG_CONFIG_LABEL: Final = "nvidia.com/mig.config"
"""Label by which MIG Manager is told a node's layout."""


@dataclass(frozen=True, slots=True)
class PoolProps:
    """What others may know of a pool.

    Attributes:
        name: The pool's name, also the value of the label gpu-cluster.io/pool.
        gpu_model: The GPU's name in the catalogue; empty for a CPU pool.
        gpu_count: GPUs per node.
        mig_layout: Name of the MIG layout; empty for whole GPUs.
        resources: GPU resources that a node offers, with their number: nvidia.com/gpu: 8.
    """

    name: str
    gpu_model: str = ""
    gpu_count: int = 0
    mig_layout: str = ""
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


def pool_props(pool: NodePoolArgs, resources: Mapping[str, int]) -> dict[str, object]:
    """The properties that the component registers.

    Args:
        pool: The pool's section of the site file.
        resources: GPU resources that each node offers, with their number; empty for a CPU pool.
    """
    props: dict[str, object] = {"name": pool.name, "resources": dict(resources)}
    if pool.gpu is not None:
        props["gpu"] = {"model": pool.gpu.model, "count": pool.gpu.count}
    if pool.mig is not None:
        props["mig"] = {"layout": pool.mig.layout, "strategy": pool.mig.strategy}
    return props


def read_props(props: Mapping[str, object]) -> PoolProps:
    """Reads what `pool_props` wrote, after its way through the engine.

    The engine turns every number into a float, and a policy may meet a pool registered by
    somebody else's program: what is missing or of the wrong kind is left out.
    """
    gpu, mig = _mapping(props.get("gpu")), _mapping(props.get("mig"))
    return PoolProps(
        name=str(props.get("name", "")),
        gpu_model=str(gpu.get("model", "")),
        gpu_count=_whole(gpu.get("count")),
        mig_layout=str(mig.get("layout", "")),
        resources=MappingProxyType(
            {name: _whole(count) for name, count in _mapping(props.get("resources")).items()}
        ),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) else 0
