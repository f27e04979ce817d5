"""`gpu-cluster capacity`: what each pool has, what is promised, what is free."""

from __future__ import annotations

import datetime as dt
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.cli.bars import bar, can_draw, table
from pulumi_gpu_cluster.cli.output import counted, print_findings
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import short_name
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.quantity import text_of
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.balance import Balance, balances
from pulumi_gpu_cluster.tenancy.shares import MEMORY, shares
from pulumi_gpu_cluster.wording import number_of


@click.command("capacity")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print; JSON counts in pieces, cores and bytes.",
)
def command(file: Path, form: str) -> None:
    """Show each pool's GPUs, MIG instances, CPUs and memory: all, promised and free.

    Promised is the sum of the tenants' guarantees. A pool that scales counts with its fewest
    nodes.
    """
    site, findings = read_stack_file(file)
    if site is None:
        print_findings(findings, err=True)
        sys.exit(1)
    if form == "json":
        click.echo(json.dumps(_as_json(site), indent=2))
    else:
        click.echo(_as_text(site, draw=can_draw(sys.stdout)))
    errors, _ = counted(check(site, dt.datetime.now(dt.UTC).date()))
    if errors:
        message = f"the site has {number_of(errors, 'error')}: gpu-cluster check {file}"
        click.echo(message, err=True)


def _as_text(site: Site, *, draw: bool) -> str:
    by_pool: dict[str, list[Balance]] = {}
    for balance in balances(site):
        by_pool.setdefault(balance.pool, []).append(balance)
    rows = [["pool", "resource", "total", "promised", "free", ""]]
    for pool in site.node_pools:
        for balance in by_pool[pool.name]:
            amounts = (balance.total, balance.promised, balance.free)
            rows.append(
                [
                    pool.name,
                    short_name(balance.resource),
                    *(_text(balance.resource, amount) for amount in amounts),
                    bar(balance.promised, balance.total, draw=draw),
                ]
            )
    lines = [f"site {site.name}", ""]
    lines += [f"pool {pool.name}: {_described(pool)}" for pool in site.node_pools]
    lines += ["", *table(rows, right=(2, 3, 4))]
    if site.tenants:
        lines += ["", *table(_tenant_rows(site), right=(3, 4))]
    return "\n".join(lines)


def _tenant_rows(site: Site) -> list[list[str]]:
    rows = [["tenant", "pool", "resource", "guarantee", "ceiling"]]
    for tenant, by_pool in shares(site).items():
        for pool, resources in by_pool.items():
            rows += [
                [
                    tenant,
                    pool,
                    short_name(resource),
                    _text(resource, share.guarantee),
                    _text(resource, share.ceiling),
                ]
                for resource, share in resources.items()
            ]
    return rows


def _described(pool: NodePoolArgs) -> str:
    parts = [number_of(pool.size, "node")]
    if pool.workload != "kubernetes":
        parts.append(f"scheduled by {pool.workload.capitalize()}")
    if pool.gpu is not None:
        parts.append(f"{pool.gpu.count} x {pool.gpu.model} each")
    if pool.mig is not None:
        layouts = dict.fromkeys(part.cut.layout for part in parts_of(pool))
        parts.append(f"MIG {', '.join(layouts)} ({pool.mig.strategy})")
    if pool.sharing is not None:
        parts.append(f"each shared by {pool.sharing.replicas} ({pool.sharing.kind})")
    if pool.driver is not None:
        parts.append(f"driver {pool.driver.version or pool.driver.source}")
    return ", ".join(parts)


def _text(resource: str, amount: Fraction) -> str:
    sign = "-" if amount < 0 else ""
    return sign + text_of(abs(amount), binary=resource == MEMORY)


def _as_json(site: Site) -> dict[str, Any]:
    pools: dict[str, dict[str, Any]] = {
        pool.name: {
            "name": pool.name,
            "workload": pool.workload,
            "nodes": pool.size,
            "resources": {},
        }
        for pool in site.node_pools
    }
    for balance in balances(site):
        pools[balance.pool]["resources"][balance.resource] = {
            "total": _number(balance.total),
            "promised": _number(balance.promised),
            "free": _number(balance.free),
        }
    tenants = [
        {
            "name": tenant,
            "pools": {
                pool: {
                    resource: {
                        "guarantee": _number(share.guarantee),
                        "ceiling": _number(share.ceiling),
                    }
                    for resource, share in resources.items()
                }
                for pool, resources in by_pool.items()
            },
        }
        for tenant, by_pool in shares(site).items()
    ]
    return {"site": site.name, "pools": list(pools.values()), "tenants": tenants}


def _number(amount: Fraction) -> int | float:
    return int(amount) if amount.denominator == 1 else float(amount)
