"""`gpu-cluster node hold`, `gate` and `status`: new GPU nodes, and what is known of the others."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Final

import click

from pulumi_gpu_cluster.node_pools.props import POOL_LABEL
from pulumi_gpu_cluster.operations.api_server import (
    CONFIG_MAP,
    NODE,
    AccessError,
    ApiServer,
    NotThereError,
)
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.operations.node_work.gate import Gate, Outcome
from pulumi_gpu_cluster.operations.node_work.gate_job import boot_of
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.gate_record import is_held, labels_of, record_of
from pulumi_gpu_cluster.operations.node_work.gate_spec import (
    NAMESPACE,
    SPEC_KEY,
    config_map_name,
    read_spec,
)
from pulumi_gpu_cluster.operations.node_work.hold import hold as hold_back
from pulumi_gpu_cluster.operations.node_work.hold import let_go
from pulumi_gpu_cluster.operations.node_work.options import context_option, span_option

ATTEMPT: Final = "GPU_CLUSTER_GATE_ATTEMPT"
"""In the environment of a run by the program: how often it has come to no end before."""

_AT_ONCE: Final = 32
_NOT_VERIFIED: Final = 1

_namespace = click.option(
    "--namespace", metavar="NAME", default=NAMESPACE, show_default=True, help="The gate's own."
)


@click.command()
@click.argument("name", metavar="NODE")
@click.option("--remove", is_flag=True, help="Give the node back: without our taint and record.")
@context_option
def hold(name: str, *, remove: bool, context: str | None) -> None:
    """Hold NODE back from work until the gate has passed it, if it is new.

    A node is new if it does not carry its pool's label yet and runs no GPU work. It gets the
    taint gpu-cluster.io/unverified; what is known of it stands in its annotation
    gpu-cluster.io/gate. A node that is known already is left as it is.
    """
    try:
        access = open_api_server(os.environ, sys.stdin, context)
        if remove:
            let_go(access, name)
            click.echo(f"node {name}: given back")
            return
        record = hold_back(access, name)
    except NotThereError:
        # Labelling it refuses a node that is no machine, with the way out.
        click.echo(f"node {name} is not there")
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    else:
        click.echo(f"node {name}: {record.state}{record.reason and f', {record.reason}'}")


@click.command()
@click.argument("names", metavar="NODE...", nargs=-1, required=True)
@click.option("--now", is_flag=True, help="Verify again, whatever is known, if no GPU is in use.")
@span_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and exit 0 whatever came out.")
@click.option(
    "--evict", is_flag=True, help="Evict what keeps a node from its layout, at half time."
)
@_namespace
@context_option
def gate(
    names: tuple[str, ...],
    *,
    now: bool,
    evict: bool,
    wait: int,
    as_json: bool,
    namespace: str,
    context: str | None,
) -> None:
    """Verify each NODE, and let work onto it once it has passed.

    A pod takes all GPUs of the node and runs `dcgmi diag -r 2` with MIG off; a pool with a MIG
    layout is cut then and its instances are counted. A node that is to get another layout takes no
    new work, and gets it once no pod holds its GPUs. What was verified holds for the boot and the
    driver under which it was. Nodes that run GPU work are left alone. A run that ends too early
    is taken up by the next one.

    Exits 0 if every node has passed.
    """
    try:
        access = open_api_server(os.environ, sys.stdin, context)
        asking = Asking(access, namespace, access.now() + wait)
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            asked = [
                threads.submit(_verified, asking, name, now=now, evict=evict) for name in names
            ]
        outcomes = [one.result() for one in asked]
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    for outcome in outcomes:
        if as_json:
            click.echo(json.dumps(_told(outcome), sort_keys=True))
        else:
            click.echo(f"node {outcome.node}: {outcome.state}: {outcome.reason}")
    if not as_json and any(outcome.state != "passed" for outcome in outcomes):
        sys.exit(_NOT_VERIFIED)


def _verified(asking: Asking, name: str, *, now: bool, evict: bool) -> Outcome:
    access = asking.access
    node = access.persist(lambda: access.get(NODE, name), f"read node {name}")
    pool = labels_of(node).get(POOL_LABEL)
    if pool is None:
        raise AccessError(f"node {name} is in no pool; fix: list it in one, and run pulumi up")
    asked = config_map_name(pool)
    try:
        config = access.persist(
            lambda: access.get(CONFIG_MAP, asked, asking.namespace),
            f"read what pool {pool} asks of its nodes",
        )
    except NotThereError:
        raise AccessError(
            f"pool {pool} of node {name} has no gate in namespace {asking.namespace}; fix: switch "
            "health.gate on and run pulumi up, or name the gate's --namespace"
        ) from None
    gate = Gate(asking, read_spec(config["data"][SPEC_KEY], name), asked, evict)
    return gate.pass_through(name, now=now)


def _told(outcome: Outcome) -> dict[str, Any]:
    """What the program keeps of it. Another number makes its next run ask again."""
    before = int(os.environ.get(ATTEMPT, "0"))
    again = outcome.state in ("pending", "failed")
    return {**asdict(outcome), "attempt": before + again}


@click.command()
@click.argument("names", metavar="[NODE]...", nargs=-1)
@context_option
def status(names: tuple[str, ...], *, context: str | None) -> None:
    """Show what is known of each NODE, or of all nodes in pools: gate, faults, reasons."""
    try:
        access = open_api_server(os.environ, sys.stdin, context)
        nodes = access.persist(lambda: _asked(access, names), "read the nodes")
        rows = [_row(node) for node in nodes]
    except AccessError as refused:
        raise click.ClickException(str(refused)) from None
    for line in _table([("NODE", "POOL", "GATE", "WORK", "FAULTS", "ABOUT"), *rows]):
        click.echo(line)


def _asked(access: ApiServer, names: Sequence[str]) -> list[dict[str, Any]]:
    """The nodes of these names, or all that are in pools."""
    if names:
        return [access.get(NODE, name) for name in names]
    found = access.list(NODE)
    pooled = (node for node in found if POOL_LABEL in labels_of(node))
    return sorted(pooled, key=lambda node: str(node["metadata"]["name"]))


def _row(node: Mapping[str, Any]) -> tuple[str, ...]:
    record = record_of(node)
    conditions: Sequence[Mapping[str, str]] = node.get("status", {}).get("conditions") or ()
    faults = [
        one["type"]
        for one in conditions
        if one["type"].endswith("Fault") and one["status"] == "True"
    ]
    about = ""
    if record is not None:
        about = record.reason or f"driver {record.driver}, {record.at}"
        if record.state == "passed" and record.boot != boot_of(node):
            about = "verified under another boot; to be verified again"
    return (
        node["metadata"]["name"],
        labels_of(node).get(POOL_LABEL, "-"),
        record.state if record is not None else "-",
        "held" if is_held(node) else "allowed",
        ",".join(faults) or "-",
        about,
    )


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
