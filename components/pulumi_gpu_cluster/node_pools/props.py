"""What a node pool registers about itself, so that policies can judge the rest of the stack.

A resource policy sees a component's inputs, a stack policy sees its outputs: the component gives
this mapping to both, `super().__init__(NODE_POOL_TYPE, name, props, opts)` and
`register_outputs({**props, ...})`. Nothing here is secret or unknown during a preview.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
    from pulumi_gpu_cluster.node_pools.cuts import Cut

NODE_POOL_TYPE: Final = "gpu-cluster:node-pools:NodePool"
"""Type token of the component; lives in users' state, so it never changes."""

POOL_LABEL: Final = "gpu-cluster.io/pool"
"""Label on a node that names its pool."""

WORKLOAD_KEY: Final = "gpu-cluster.io/workload"
"""Key of the label and of the taint of pools that Kubernetes does not schedule."""

UNVERIFIED_TAINT: Final = "gpu-cluster.io/unverified"
"""Key of the taint (NoSchedule) that holds a new GPU node back until the gate has passed it."""

UNVERIFIED_TOLERATION: Final[Mapping[str, str]] = MappingProxyType(
    {"key": UNVERIFIED_TAINT, "operator": "Exists", "effect": "NoSchedule"}
)
"""Toleration of the taint of nodes that no gate has passed yet: for agents, never for work."""

WHOLE_GPU: Final = "nvidia.com/gpu"
"""The resource of whole GPUs and, under the single strategy, of MIG instances."""

SHARED: Final = ".shared"
"""Last part of the resources of GPUs and MIG instances that several pods share.

source: NVIDIA/k8s-device-plugin v0.20.0 api/config/v1/resources.go, DefaultSharedRename
"""

PLUGIN_CONFIG_LABEL: Final = "nvidia.com/device-plugin.config"
"""Label by which the device plugin is told its configuration on a node."""

OWN_LAYOUT: Final = "custom-"
"""First part of the names of MIG layouts that a site wrote itself."""

MIG_CONFIG_LABEL: Final = "nvidia.com/mig.config"
"""Label by which MIG Manager is told a node's layout."""


@dataclass(frozen=True, slots=True)
class PoolProps:
    """What others may know of a pool.

    Attributes:
        name: The pool's name, also the value of the label gpu-cluster.io/pool.
        gpu_model: The GPU's name in the catalogue; empty for a CPU pool.
        gpu_count: GPUs per node.
        mig_layout: Name of the MIG layout that all its nodes have; empty for whole GPUs, or where
            they have several.
        mig_layouts: Names of the layouts that its nodes have, with what the pool itself says of
            each: the instances of every kind of GPU in it. Nothing of layouts that MIG Manager
            knows by their names.
        gpu_facts: What the pool says of its GPU model; nothing where the catalogue knows it.
        mig_strategy: `single` or `mixed`; empty for whole GPUs.
        resources: GPU resources that a node offers, with their number: nvidia.com/gpu: 8.
        nodes: How many nodes capacity may be proven against; None where it was not told.
        most: The most nodes there can be; None where it was not told.
        selector: Labels that the pool's nodes carry and no other's do.
        driver_source: Who installs the driver: operator, host or managed; empty where untold.
        driver_version: The driver's pin; empty where there is none.
        workload: Who schedules the pool: kubernetes or slurm.
    """

    name: str
    gpu_model: str = ""
    gpu_count: int = 0
    mig_layout: str = ""
    mig_layouts: Mapping[str, Sequence[Mapping[str, int]]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    gpu_facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    mig_strategy: str = ""
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    nodes: int | None = None
    most: int | None = None
    selector: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    driver_source: str = ""
    driver_version: str = ""
    workload: str = "kubernetes"


def pool_props(
    pool: NodePoolArgs, resources: Mapping[str, int], cuts: Sequence[Cut] = ()
) -> dict[str, object]:
    """The properties that the component registers.

    Args:
        pool: The pool's section of the site file.
        resources: GPU resources that each node offers, with their number; empty for a CPU pool.
        cuts: How its nodes are cut, each way once.
    """
    props: dict[str, object] = {
        "name": pool.name,
        "resources": dict(resources),
        "selector": dict(pool.selector or {POOL_LABEL: pool.name}),
        "workload": pool.workload,
    }
    if pool.gpu is not None:
        facts = pool.gpu.facts
        told = {} if facts is None else {"facts": facts.model_dump(exclude_none=True)}
        props["gpu"] = {"model": pool.gpu.model, "count": pool.gpu.count, **told}
    if pool.mig is not None:
        several = {} if not pool.mig.layouts else {"layouts": _layouts(cuts)}
        layout = "" if pool.mig.layouts else pool.mig.layout or ""
        props["mig"] = {"layout": layout, "strategy": pool.mig.strategy, **several}
    if pool.driver is not None:
        props["driver"] = {"source": pool.driver.source, "version": pool.driver.version or ""}
    return props


def size_props(pool: NodePoolArgs) -> dict[str, object]:
    """What the component registers among its outputs only: a node more must not change the pool.

    Args:
        pool: The pool's section of the site file.
    """
    return {"nodes": pool.size, "most": pool.largest}


def _layouts(cuts: Sequence[Cut]) -> dict[str, list[dict[str, int]]]:
    return {
        cut.layout: [entry["mig-devices"] for entry in cut.parted() if entry["mig-devices"]]
        if cut.is_own
        else []
        for cut in cuts
    }


def read_props(props: Mapping[str, object]) -> PoolProps:
    """Reads what `pool_props` wrote, after its way through the engine.

    The engine turns every number into a float, and a policy may meet a pool registered by
    somebody else's program: what is missing or of the wrong kind is left out.
    """
    gpu, mig = _mapping(props.get("gpu")), _mapping(props.get("mig"))
    driver = _mapping(props.get("driver"))
    return PoolProps(
        name=str(props.get("name", "")),
        gpu_model=str(gpu.get("model", "")),
        gpu_count=_whole(gpu.get("count")),
        mig_layout=str(mig.get("layout", "")),
        mig_layouts=MappingProxyType(
            {name: _instances(kinds) for name, kinds in _mapping(mig.get("layouts")).items()}
        ),
        gpu_facts=_mapping(gpu.get("facts")),
        mig_strategy=str(mig.get("strategy", "")),
        nodes=_number(props.get("nodes")),
        most=_number(props.get("most")),
        selector=MappingProxyType(
            {key: str(value) for key, value in _mapping(props.get("selector")).items()}
        ),
        driver_source=str(driver.get("source", "")),
        driver_version=str(driver.get("version", "")),
        workload=str(props.get("workload", "kubernetes")),
        resources=MappingProxyType(
            {name: _whole(count) for name, count in _mapping(props.get("resources")).items()}
        ),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _instances(kinds: object) -> tuple[Mapping[str, int], ...]:
    listed = cast("Sequence[object]", kinds) if isinstance(kinds, (list, tuple)) else ()
    return tuple(
        {profile: _whole(count) for profile, count in _mapping(kind).items()} for kind in listed
    )


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) else None


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) else 0
