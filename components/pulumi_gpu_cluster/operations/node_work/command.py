"""`gpu-cluster node ...`: what the program runs for each node, and a person may run by hand."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from pulumi_gpu_cluster.operations.api_server import AccessError, NotThereError
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.operations.node_work.driver_command import drivers
from pulumi_gpu_cluster.operations.node_work.driver_command import hold as hold_drivers
from pulumi_gpu_cluster.operations.node_work.gate_command import gate, hold, status
from pulumi_gpu_cluster.operations.node_work.options import context_option
from pulumi_gpu_cluster.operations.node_work.strategy import mig_strategy
from pulumi_gpu_cluster.operations.node_work.taints import TaintError, parse
from pulumi_gpu_cluster.operations.node_work.work import set_taints

if TYPE_CHECKING:
    from pulumi_gpu_cluster.operations.node_work.taints import Taint

WANTED: Final = "GPU_CLUSTER_TAINTS"


@click.group()
def node() -> None:
    """Work on nodes of the cluster."""


for _part in (gate, hold, status, hold_drivers, drivers, mig_strategy):
    node.add_command(_part)


@node.command()
@click.argument("name", metavar="NODE")
@click.option("--remove", is_flag=True, help="Take our taints away; wanted ones are not read.")
@context_option
def taints(name: str, *, remove: bool, context: str | None) -> None:
    """Give NODE the taints in GPU_CLUSTER_TAINTS, and take those of ours that are not in it.

    GPU_CLUSTER_TAINTS is a JSON list such as [{"key": "nvidia.com/gpu", "value": "present",
    "effect": "NoSchedule"}]. Taints that somebody else set are never changed. Ours are remembered
    in the annotation gpu-cluster.io/taints of the node.

    The cluster is that of KUBECONFIG; with GPU_CLUSTER_KUBECONFIG=- the kubeconfig is read from
    standard input.
    """
    try:
        wanted = () if remove else _wanted()
        done = set_taints(open_api_server(os.environ, sys.stdin, context), name, wanted)
    except NotThereError as gone:
        if not remove:
            raise click.ClickException(
                f"{gone}; fix: let the node join, or take it out of its pool"
            ) from None
        click.echo(f"node {name} is gone")
    except (AccessError, TaintError) as refused:
        raise click.ClickException(str(refused)) from None
    else:
        for word, changed in (("set", done.added), ("removed", done.removed)):
            for taint in changed:
                click.echo(f"node {name}: {word} {taint}")
        if not done.added and not done.removed:
            click.echo(f"node {name}: nothing to change")


def _wanted() -> tuple[Taint, ...]:
    text = os.environ.get(WANTED)
    if text is None:
        raise TaintError(f"{WANTED} is not set; fix: set it to a JSON list of taints, [] for none")
    return parse(text, WANTED)
