"""`gpu-cluster drivers`: each pool's driver, how long it lives, what it runs, what comes next."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any

import click

from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.cli.bars import table
from pulumi_gpu_cluster.cli.output import counted, print_findings
from pulumi_gpu_cluster.gpu_operator.driver_matrix import DriverRow, driver_matrix
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.wording import number_of

_UNKNOWN = "-"


@click.command("drivers")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day to judge by; today by default.",
)
def command(file: Path, form: str, as_of: dt.datetime | None) -> None:
    """Show each GPU pool's driver: branch, end of support, newest CUDA, and the next step.

    "CUDA up to" is the newest toolkit whose every feature the driver knows. Other minor versions
    of the same major version run too, without features that came later.
    """
    day = as_of.date() if as_of is not None else dt.datetime.now(dt.UTC).date()
    site, findings = read_stack_file(file)
    if site is None:
        print_findings(findings, err=True)
        sys.exit(1)
    rows = driver_matrix(site, day)
    if form == "json":
        report = {"site": site.name, "as_of": str(day), "pools": [_plain(row) for row in rows]}
        click.echo(json.dumps(report, indent=2))
    elif rows:
        lines = [f"site {site.name}, as of {day}", "", *table(_cells(rows))]
        notes = [f"pool {row.pool}: {note}" for row in rows for note in row.notes]
        click.echo("\n".join([*lines, *([""] if notes else []), *notes]))
    else:
        click.echo(f"site {site.name} has no pool with GPUs")
    errors, _ = counted(check(site, day))
    if errors:
        message = f"the site has {number_of(errors, 'error')}: gpu-cluster check {file}"
        click.echo(message, err=True)


def _cells(rows: tuple[DriverRow, ...]) -> list[list[str]]:
    head = ["pool", "GPU", "driver", "from", "module", "branch", "supported until", "CUDA up to"]
    return [[*head, "next step"], *(_row(row) for row in rows)]


def _row(row: DriverRow) -> list[str]:
    branch = _UNKNOWN if row.branch is None else f"{row.branch} {row.kind or 'unknown'}"
    until = "ended" if row.is_over else _UNKNOWN
    if row.supported_until is not None:
        until = f"{row.supported_until}{' (ended)' if row.is_over else ''}"
    return [
        row.pool,
        row.gpu,
        row.driver or _UNKNOWN,
        row.source,
        row.kernel_module,
        branch,
        until,
        row.cuda or _UNKNOWN,
        row.next_step,
    ]


def _plain(row: DriverRow) -> dict[str, Any]:
    until = None if row.supported_until is None else str(row.supported_until)
    return {**dataclasses.asdict(row), "supported_until": until}
