"""The MIG strategy and what it excludes: mixed layouts under `single`, MPS on instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.drivers.specs import CLUSTER_POLICY, strategy_of
from gpu_cluster_policies.pods import VALUES
from gpu_cluster_policies.pools import NODE_POOL_READS
from gpu_cluster_policies.reading import fields, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, StackRule, Verdict, each
from gpu_cluster_policies.settings import LAYOUTS
from gpu_cluster_policies.sharing.plugin_configs import CONFIG_READS, plugin_configs
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.catalog.mig import BALANCED, DISABLED
from pulumi_gpu_cluster.node_pools.props import MIG_CONFIG_LABEL, NODE_POOL_TYPE, read_props

NODE: Final = "core/Node"
_PLUGIN_LABEL: Final = "nvidia.com/device-plugin.config"
_OPERATOR: Final = (*VALUES, CLUSTER_POLICY)


def layouts_of(resource: Resource) -> tuple[str, ...]:
    """The MIG layouts that a node or a pool is to have; none where none is said."""
    if resource.sort == NODE:
        own = string(fields(resource.props, "metadata", "labels"), MIG_CONFIG_LABEL)
        return (own,) if own else ()
    pool = read_props(resource.props)
    return tuple(pool.mig_layouts) or ((pool.mig_layout,) if pool.mig_layout else ())


def _uneven(stack: Stack, config: Config) -> Iterator[Verdict]:
    own: Mapping[str, Mapping[str, float]] = config.get("layouts", {})
    for one in stack.of(NODE, NODE_POOL_TYPE):
        yield from each((one,), lambda resource: _judge_layout(resource, stack, own))


def _judge_layout(
    resource: Resource, stack: Stack, own: Mapping[str, Mapping[str, float]]
) -> Iterator[Verdict]:
    told = read_props(resource.props if resource.sort == NODE_POOL_TYPE else {}).mig_layouts
    for layout in layouts_of(resource):
        profiles = {name for name, count in own.get(layout, {}).items() if count}
        profiles |= {name for kind in told.get(layout, ()) for name, count in kind.items() if count}
        if layout != BALANCED and len(profiles) < 2:  # noqa: PLR2004 - several are a mixture
            continue
        single = string(resource.props, "mig", "strategy") == "single" or any(
            strategy_of(one) == "single" for one in stack.beside(resource, *_OPERATOR)
        )
        if single:
            yield Fault(resource, f"its layout {layout} mixes profiles under the strategy single")


MIG_SINGLE_WITH_MIXED_LAYOUT: Final = StackRule(
    id="mig-single-with-mixed-layout",
    description="Under the MIG strategy `single` every layout has one profile.",
    why="The device plugin stops when it meets several profiles on such a node: no GPU is left.",
    mend="use a layout of one profile, or the strategy mixed",
    severity=Severity.HIGH,
    tags=("sharing", "mig"),
    reads={
        NODE: ("metadata",),
        CLUSTER_POLICY: ("metadata", "spec"),
        **VALUES,
        **NODE_POOL_READS,
    },
    judge=_uneven,
    settings={"layouts": dict(LAYOUTS)},
)


def _mps(stack: Stack, config: Config) -> Iterator[Verdict]:
    del config
    for resource in stack.of(*CONFIG_READS):
        yield from each((resource,), lambda one: _judge_config(one, stack))
    for node in stack.of(NODE):
        yield from each((node,), lambda one: _judge_node(one, stack))


def _judge_config(resource: Resource, stack: Stack) -> Iterator[Verdict]:
    mixed = any(strategy_of(one) == "mixed" for one in stack.beside(resource, *_OPERATOR))
    for config in plugin_configs(resource):
        if config.shares_by("mps") and (mixed or config.strategy == "mixed"):
            yield Fault(resource, f"{config.path} shares by MPS under the MIG strategy mixed")


def _judge_node(node: Resource, stack: Stack) -> Iterator[Verdict]:
    labels = fields(node.props, "metadata", "labels")
    layout, named = string(labels, MIG_CONFIG_LABEL), string(labels, _PLUGIN_LABEL)
    if layout in {"", DISABLED} or not named:
        return
    for resource in stack.beside(node, *CONFIG_READS):
        for config in plugin_configs(resource):
            if config.name == named and config.shares_by("mps"):
                yield Fault(node, f"is cut into {layout} and shares by MPS ({named})")


MPS_ON_MIG: Final = StackRule(
    id="mps-on-mig",
    description="MPS shares whole GPUs only.",
    why="On MIG instances, or under the strategy mixed, plugin and feature discovery stop with an "
    "error, and the node's labels vanish.",
    mend="share by time slices there, or leave the GPUs whole",
    severity=Severity.HIGH,
    tags=("sharing", "mig"),
    reads={NODE: ("metadata",), CLUSTER_POLICY: ("metadata", "spec"), **CONFIG_READS},
    judge=_mps,
)
