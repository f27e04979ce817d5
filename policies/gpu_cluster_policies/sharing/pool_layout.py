"""A node pool's MIG layout must be one that its GPUs can hold.

MIG Manager leaves a node with a layout that does not fit in the state `failed`: its GPUs are
gone until somebody looks. The engine asks before the pool's nodes are labelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import NODE_POOL_READS
from gpu_cluster_policies.resources import UNKNOWN, Resource, text
from gpu_cluster_policies.rule import IN_FILE, Config, Later, ResourceRule, Verdict, Violation
from gpu_cluster_policies.sharing.layouts import SETTINGS, misfit
from pulumi_gpu_cluster.node_pools.props import read_props

ID: Final = "mig-layout-does-not-fit"


def judge(resource: Resource, config: Config) -> Iterator[Verdict]:
    """Finds a node pool whose GPUs cannot hold its layout."""
    pool = read_props(resource.props)
    if text(resource.props, "mig", "layout") is UNKNOWN:
        yield Later(f"node pool {resource.name}: its MIG layout is not known yet")
        return
    layouts = tuple(pool.mig_layouts) or ((pool.mig_layout,) if pool.mig_layout else ())
    boards: dict[str, str] = config.get("boards", {})
    model = boards.get(pool.name, pool.gpu_model)
    for layout in layouts:
        found = (
            misfit(model, layout, config, ID, pool)
            if model
            else f"cannot judge the MIG layout {layout}, the pool names no GPU model; fix: "
            f"set gpu.model of the pool, or {ID}.boards.{pool.name} {IN_FILE}"
        )
        if found is not None:
            yield Violation(f"node pool {pool.name}: {found}", resource.urn)


MIG_LAYOUT_DOES_NOT_FIT: Final = ResourceRule(
    id=ID,
    description="The GPUs of a node pool can hold the pool's MIG layout.",
    why="MIG Manager leaves a node with a layout that does not fit in the state `failed`, and its "
    "GPUs are gone until somebody looks.",
    mend="name a layout that MIG Manager makes for the board",
    severity=Severity.HIGH,
    tags=("sharing", "mig"),
    reads=NODE_POOL_READS,
    judge=judge,
    settings=SETTINGS,
)
