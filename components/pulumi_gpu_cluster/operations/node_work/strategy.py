"""Looks whether nodes can take another MIG strategy, before the operator is told of it.

The device plugin stops on a node whose instances are of several profiles once its strategy is
`single`, and with either strategy resources get other names under the pods that hold them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, Final

import click

from pulumi_gpu_cluster.catalog.mig import DISABLED
from pulumi_gpu_cluster.node_pools.props import POOL_LABEL
from pulumi_gpu_cluster.operations.api_server import NODE, AccessError, ApiServer
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.operations.node_work.driver_spec import in_order
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of
from pulumi_gpu_cluster.operations.node_work.hold import gpu_pods
from pulumi_gpu_cluster.operations.node_work.layout import layout_of
from pulumi_gpu_cluster.operations.node_work.options import context_option
from pulumi_gpu_cluster.wording import listed

# source: NVIDIA/k8s-device-plugin v0.20.0, GPU Feature Discovery
STRATEGY_LABEL: Final = "nvidia.com/mig.strategy"
_INSTANCES: Final = "nvidia.com/mig-"


def against_strategy(access: ApiServer, pool: str, strategy: str) -> str:
    """What stands against another strategy; empty where nothing does.

    Args:
        access: The cluster.
        pool: Name of the pool whose nodes are to get it.
        strategy: `single` or `mixed`.

    Raises:
        AccessError: The API server refuses or cannot be reached.
    """
    nodes = access.persist(
        lambda: list(access.list(NODE, {POOL_LABEL: pool, STRATEGY_LABEL: None})),
        f"list the nodes of pool {pool}",
    )
    changing = {
        str(node["metadata"]["name"]): node
        for node in nodes
        if layout_of(node) != DISABLED and labels_of(node)[STRATEGY_LABEL] != strategy
    }
    mixed = [name for name, node in changing.items() if len(_profiles(node)) > 1]
    if strategy == "single" and mixed:
        return (
            f"{listed(in_order(mixed))} have instances of several profiles, on which the device "
            "plugin stops under single; fix: give them a layout of one profile and leave "
            "strategy: mixed, run pulumi up, then change the strategy"
        )
    busy = {name: pods for name in in_order(changing) if (pods := gpu_pods(access, name))}
    if busy:
        held = listed(f"{pods[0]} on {name}" for name, pods in busy.items())
        return (
            f"{held} would lose the name of what they hold; fix: cordon these nodes, let their "
            "pods end, and run pulumi up again"
        )
    return ""


def _profiles(node: Mapping[str, Any]) -> list[str]:
    """The profiles of which a node offers instances."""
    offered: Mapping[str, str] = node.get("status", {}).get("allocatable") or {}
    return [name for name, count in offered.items() if name.startswith(_INSTANCES) and count != "0"]


@click.command("mig-strategy")
@click.argument("pool", metavar="POOL")
@click.argument("strategy", metavar="STRATEGY", type=click.Choice(["single", "mixed"]))
@context_option
def mig_strategy(pool: str, strategy: str, *, context: str | None) -> None:
    """Say whether the nodes of POOL that are cut can take STRATEGY now; it changes nothing.

    Exits 1 where they cannot, and says which and why.
    """
    try:
        found = against_strategy(open_api_server(os.environ, sys.stdin, context), pool, strategy)
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    if found:
        raise click.ClickException(f"pool {pool}, MIG strategy {strategy}: {found}")
    click.echo(f"pool {pool}: nothing stands against MIG strategy {strategy}")
