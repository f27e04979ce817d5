"""`gpu-cluster node hold-drivers` and `drivers`: a pool's way to another driver."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Final

import click

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec, read_driver_spec
from pulumi_gpu_cluster.operations.node_work.driver_waves import (
    DriverWaves,
    PoolOutcome,
    hold_drivers,
    let_drivers_go,
)
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.options import context_option, span_option
from pulumi_gpu_cluster.wording import listed

WANTED: Final = "GPU_CLUSTER_DRIVER"
"""In the environment: what is wanted of the pool's drivers, as JSON."""

ATTEMPT: Final = "GPU_CLUSTER_DRIVER_ATTEMPT"
"""In the environment of a run by the program: how often it has come to no end before."""

_NOT_DONE: Final = 1


@click.command("hold-drivers")
@click.argument("pool", metavar="POOL")
@click.option("--remove", is_flag=True, help="Let every node of the pool go.")
@context_option
def hold(pool: str, *, remove: bool, context: str | None) -> None:
    """Keep each node of POOL at the driver that it has, if another one is wanted.

    What is wanted stands in GPU_CLUSTER_DRIVER. A node gets the label
    nvidia.com/gpu-driver-upgrade.skip, by which the GPU Operator leaves it alone; that it is ours
    stands in its annotation gpu-cluster.io/driver-upgrade.
    """
    try:
        access = open_api_server(os.environ, sys.stdin, context)
        spec = _wanted(pool)
        if remove:
            let_drivers_go(access, pool, spec.namespace)
            click.echo(f"pool {pool}: nodes let go")
            return
        held = hold_drivers(access, spec)
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    if held:
        click.echo(f"pool {pool}: {listed(held)} held until driver {spec.version} comes to them")
    else:
        click.echo(f"pool {pool}: no node has another driver than {spec.version}")


@click.command("drivers")
@click.argument("pool", metavar="POOL")
@span_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and exit 0 whatever came out.")
@context_option
def drivers(pool: str, *, wait: int, as_json: bool, context: str | None) -> None:
    """Lead the nodes of POOL to the driver in GPU_CLUSTER_DRIVER, wave after wave.

    A wave ends when each of its nodes runs the driver, the GPU Operator calls it done, its
    validator is ready on it and all GPUs are back. The first node that fails stops everything
    after it. A run that ends too early is taken up by the next one.

    Exits 0 if every node is done.
    """
    try:
        access = open_api_server(os.environ, sys.stdin, context)
        spec = _wanted(pool)
        outcome = DriverWaves(Asking(access, spec.namespace, access.now() + wait), spec).go_on()
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    if as_json:
        click.echo(json.dumps(_told(outcome), sort_keys=True))
        return
    click.echo(f"pool {outcome.pool}: {outcome.state}: {outcome.reason}")
    if outcome.state != "done":
        sys.exit(_NOT_DONE)


def _wanted(pool: str) -> DriverSpec:
    text = os.environ.get(WANTED)
    try:
        spec = read_driver_spec(text or "")
    except (TypeError, ValueError):
        raise AccessError(
            f"{WANTED} does not say which driver is wanted; fix: have pulumi up run this"
        ) from None
    if spec.pool != pool:
        raise AccessError(f"{WANTED} speaks of pool {spec.pool}; fix: name that pool")
    return spec


def _told(outcome: PoolOutcome) -> dict[str, object]:
    """What the program keeps of it. Another number makes its next run ask again."""
    before = int(os.environ.get(ATTEMPT, "0"))
    return {**asdict(outcome), "attempt": before + (outcome.state != "done")}
