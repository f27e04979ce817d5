"""A MIG layout written on a node by hand must be one that the node's GPUs can hold.

Which GPUs a node has stands elsewhere: in what GPU Feature Discovery wrote on it, or in the node
pool it belongs to. So this rule looks at the whole stack; pools are judged on their own, before
anything is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import NODE_POOL_READS, pools_beside
from gpu_cluster_policies.resources import UNKNOWN, Resource, section, text
from gpu_cluster_policies.rule import IN_FILE, Config, Later, StackRule, Verdict, Violation
from gpu_cluster_policies.sharing.layouts import SETTINGS, misfit, model_of_product
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL, POOL_LABEL, PoolProps

ID: Final = "node-mig-layout-does-not-fit"
PRODUCT_LABEL: Final = "nvidia.com/gpu.product"
_NODE: Final = "core/Node"


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds nodes whose GPUs cannot hold the layout that a resource writes on them."""
    pools: dict[frozenset[str], Mapping[str, PoolProps]] = {}
    for node in stack.of(_NODE):
        labels = section(node.props, "metadata", "labels")
        if labels is UNKNOWN:
            yield Later(f"node {node.name}: its labels are not known yet")
        elif MIG_CONFIG_LABEL in labels:
            if node.clusters not in pools:
                beside = pools_beside(node, stack)
                pools[node.clusters] = {pool.name: pool for pool in beside}
            yield from _judge_node(node, labels, pools[node.clusters], config)


def _judge_node(
    node: Resource, labels: Mapping[str, object], pools: Mapping[str, PoolProps], config: Config
) -> Iterator[Verdict]:
    name = text(node.props, "metadata", "name")
    layout, pool_name = labels[MIG_CONFIG_LABEL], labels.get(POOL_LABEL)
    pool = pools.get(str(pool_name))
    if layout is UNKNOWN or name is UNKNOWN:
        yield Later(f"node {node.name}: its name or its label {MIG_CONFIG_LABEL} is not known yet")
        return
    if pool is not None and (layout == pool.mig_layout or layout in pool.mig_layouts):
        return  # Judged with the pool.
    boards: dict[str, str] = config.get("boards", {})
    model = (
        boards.get(name)
        or boards.get(str(pool_name))
        or model_of_product(str(labels.get(PRODUCT_LABEL, "")))
        or (pool.gpu_model if pool is not None else "")
    )
    if not model and UNKNOWN in (pool_name, labels.get(PRODUCT_LABEL)):
        yield Later(f"node {name}: which GPUs it has is not known yet")
        return
    found = (
        misfit(model, str(layout), config, ID, pool)
        if model
        else f"cannot judge the MIG layout {layout}, nothing in the stack tells its GPUs; fix: "
        f"set {ID}.boards.{name} {IN_FILE}"
    )
    if found is not None:
        yield Violation(f"node {name}: {found}", node.urn)


NODE_MIG_LAYOUT_DOES_NOT_FIT: Final = StackRule(
    id=ID,
    description="The GPUs of a node can hold the MIG layout that is written on it.",
    why="MIG Manager leaves a node with a layout that does not fit in the state `failed`, and its "
    "GPUs are gone until somebody looks.",
    mend="write a layout that MIG Manager makes for the node's board",
    severity=Severity.HIGH,
    tags=("sharing", "mig"),
    reads={_NODE: ("metadata",), **NODE_POOL_READS},
    judge=judge,
    settings=SETTINGS,
)
