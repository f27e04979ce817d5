"""`gpu-cluster upgrade plan`: operator, waves and nodes, before anything is touched."""

from __future__ import annotations

import datetime as dt
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.cli.bars import table
from pulumi_gpu_cluster.cli.output import counted, print_findings
from pulumi_gpu_cluster.operations.api_server import AccessError, ApiServer
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.operations.node_work.options import context_option
from pulumi_gpu_cluster.operations.node_work.upgrade_plan import (
    NodeStep,
    PoolSteps,
    operator_step,
    pool_steps,
)
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.scheduling.choice import job_selector
from pulumi_gpu_cluster.wording import number_of


@click.group("upgrade")
def command() -> None:
    """What an upgrade would do, before it does anything."""


@command.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--kubeconfig",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Read the nodes' present drivers there.  [default: KUBECONFIG, else none]",
)
@context_option
def plan(file: Path, kubeconfig: Path | None, context: str | None) -> None:
    """Show the order in which `pulumi up` would bring the drivers of FILE to the nodes.

    With a kubeconfig it tells the nodes that have another driver, and the pods that hold their
    GPUs. Without one it assumes that all have another one. It changes nothing.
    """
    site, findings = read_stack_file(file)
    if site is None:
        print_findings(findings, err=True)
        sys.exit(1)
    namespace = site.gpu_operator.namespace
    try:
        access = _access(kubeconfig, context)
        steps = [pool_steps(access, pool, namespace) for pool in site.node_pools]
        first = operator_step(access, namespace)
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    click.echo(f"site {site.name}, {_seen_in(access)}")
    click.echo(f"\nfirst: the GPU Operator {first}")
    for pool in steps:
        if pool is not None:
            click.echo("\n".join(["", *_told(pool)]))
    if any(pool is not None and pool.waves for pool in steps):
        jobs = job_selector(site.scheduler.kind)
        click.echo(
            "\nOn each node, when its wave has come: cordoned; pods that match "
            f"{jobs!r} are waited for; other pods that hold GPUs are deleted; the driver is "
            "replaced; validated; uncordoned. Pools go side by side."
        )
    errors, _ = counted(check(site, dt.datetime.now(dt.UTC).date()))
    if errors:
        message = f"the site has {number_of(errors, 'error')}: gpu-cluster check {file}"
        click.echo(message, err=True)


def _access(kubeconfig: Path | None, context: str | None) -> ApiServer | None:
    """The cluster, if somebody names one: that of ~/.kube/config may be another site's."""
    chosen = str(kubeconfig) if kubeconfig is not None else os.environ.get("KUBECONFIG")
    if not chosen:
        return None
    return open_api_server({"KUBECONFIG": chosen}, sys.stdin, context)


def _seen_in(access: ApiServer | None) -> str:
    return f"as {access.server} shows it" if access is not None else "without looking at a cluster"


def _told(pool: PoolSteps) -> Iterator[str]:
    nodes = sum(len(wave) for wave in pool.waves)
    waves = number_of(len(pool.waves), "wave")
    does = f"{number_of(nodes, 'node')} in {waves}" if nodes else "no waves"
    yield f"pool {pool.pool}: driver {pool.version or 'of the machine'}, {does}"
    rows = [
        [
            "",
            _title(number, node),
            node.name,
            node.before,
            _busy(node.pods),
        ]
        for number, wave in enumerate(pool.waves, 1)
        for node in wave
    ]
    yield from table(rows) if rows else ()
    for note in pool.notes:
        yield f"  {note}"


def _title(number: int, node: NodeStep) -> str:
    return "canary" if node.canary else f"wave {number}"


def _busy(pods: Sequence[str]) -> str:
    more = f" and {len(pods) - 1} more" if len(pods) > 1 else ""
    return f"runs {pods[0]}{more}" if pods else ""
