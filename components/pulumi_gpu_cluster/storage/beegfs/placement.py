"""Where the BeeGFS driver's pods run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pulumi_kubernetes.core.v1 import (
    AffinityArgs,
    NodeAffinityArgs,
    NodeSelectorArgs,
    NodeSelectorRequirementArgs,
    NodeSelectorTermArgs,
    TolerationArgs,
)

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations, selector


@dataclass(frozen=True, slots=True)
class Placement:
    """The nodes of some pools.

    Attributes:
        selectors: Labels of each pool's nodes.
        tolerations: What it takes to run on all of them.
    """

    selectors: Sequence[Mapping[str, str]]
    tolerations: Sequence[Mapping[str, str]]

    def affinity(self) -> AffinityArgs:
        """Nodes of any of the pools, and no others."""
        terms = [
            NodeSelectorTermArgs(
                match_expressions=[
                    NodeSelectorRequirementArgs(key=key, operator="In", values=[value])
                    for key, value in sorted(labels.items())
                ]
            )
            for labels in self.selectors
        ]
        required = NodeSelectorArgs(node_selector_terms=terms)
        return AffinityArgs(
            node_affinity=NodeAffinityArgs(
                required_during_scheduling_ignored_during_execution=required
            )
        )

    def toleration_args(self) -> list[TolerationArgs]:
        """The tolerations, as pods take them."""
        return [
            TolerationArgs(
                key=one["key"],
                operator=one["operator"],
                value=one.get("value"),
                effect=one["effect"],
            )
            for one in self.tolerations
        ]


def on_every_node(pools: Sequence[NodePoolArgs]) -> Placement:
    """On each node of these pools."""
    return Placement([selector(pool) for pool in pools], agent_tolerations(pools))


def beside_jobs(pools: Sequence[NodePoolArgs]) -> Placement:
    """On nodes without GPUs where there are any: those with GPUs are for jobs."""
    return on_every_node([pool for pool in pools if pool.gpu is None] or pools)
