"""A layout on a node must be one that MIG Manager's own ConfigMap holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.drivers.specs import CLUSTER_POLICY, policy_of_operator
from gpu_cluster_policies.pods import VALUES
from gpu_cluster_policies.pools import NODE_POOL_READS
from gpu_cluster_policies.reading import Fields, fields, string
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, StackRule, Verdict, Violation, each
from gpu_cluster_policies.settings import LAYOUTS, cannot_judge
from gpu_cluster_policies.sharing.plugin_configs import CONFIG_MAP, parsed_yaml
from gpu_cluster_policies.sharing.strategy import NODE, layouts_of
from gpu_cluster_policies.stack import Stack
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE

_FILE: Final = "config.yaml"
# What the operator makes by itself, from the boards it finds.
_OWN: Final = frozenset({"", "default-mig-parted-config"})


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds layouts that a ConfigMap of one's own does not hold."""
    for operator in stack.of(*VALUES, CLUSTER_POLICY):
        yield from each((operator,), lambda one: _judge_operator(one, stack, config))


def _judge_operator(operator: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    chosen = fields(policy_of_operator(operator), "migManager", "config")
    name = string(chosen, "name")
    if name in _OWN:
        return
    wanted = [one for one in stack.beside(operator, NODE, NODE_POOL_TYPE) if layouts_of(one)]
    known = _known(name, chosen, operator, stack, config)
    if known is None and wanted:
        missing = f"the ConfigMap {name} is not in the stack"
        what = "layouts against MIG Manager's configuration"
        yield Violation(cannot_judge(what, missing, "layouts"), operator.urn)
    for one in wanted if known is not None else ():
        for layout in sorted(set(layouts_of(one)) - (known or frozenset())):
            yield Fault(one, f"its layout {layout} is not in MIG Manager's ConfigMap {name}")


def _known(
    name: str, chosen: Fields, operator: Resource, stack: Stack, config: Config
) -> frozenset[str] | None:
    contents = [string(chosen, "data", _FILE)] + [
        string(one.props, "data", _FILE)
        for one in stack.beside(operator, CONFIG_MAP)
        if string(one.props, "metadata", "name") == name
    ]
    held = [fields(parsed_yaml(content), "mig-configs") for content in contents if content]
    if held:
        return frozenset(key for one in held for key in one)
    own = config.get("layouts")
    return frozenset(own) | {"all-disabled"} if own else None


MIG_LAYOUT_NOT_IN_CONFIG_MAP: Final = StackRule(
    id="mig-layout-not-in-config-map",
    description="Where MIG Manager has a ConfigMap of yours, it holds every layout in use.",
    why="A ConfigMap of one's own replaces all that the operator makes by itself: a name that it "
    "lacks leaves the node in the state failed.",
    mend="add the layout to the ConfigMap (and keep all-disabled in it), or use one that is there",
    severity=Severity.HIGH,
    tags=("sharing", "mig"),
    reads={
        NODE: ("metadata",),
        CONFIG_MAP: ("metadata", "data"),
        CLUSTER_POLICY: ("metadata", "spec"),
        **VALUES,
        **NODE_POOL_READS,
    },
    judge=judge,
    settings={"layouts": dict(LAYOUTS)},
)
