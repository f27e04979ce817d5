"""`gpu-cluster plan`: may this `pulumi up` run?"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TextIO

import click

from pulumi_gpu_cluster.changes.preview import PreviewError, Step, read_preview
from pulumi_gpu_cluster.changes.rules import changes
from pulumi_gpu_cluster.cli.output import counted, plain, print_findings
from pulumi_gpu_cluster.hostlist import expand


@click.command("plan")
@click.argument("file", metavar="FILE", type=click.File("r", encoding="utf-8"))
@click.option(
    "--nodes",
    metavar="HOSTLIST",
    help="The nodes that may be touched, such as gpu[01-02]; '' for none. Without it any may.",
)
@click.option(
    "--accept",
    metavar="RULE",
    multiple=True,
    help="A rule that this run may break, such as protected-data-deleted. May be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail the check too.")
def command(
    file: TextIO,
    nodes: str | None,
    accept: tuple[str, ...],
    form: str,
    *,
    strict: bool,
) -> None:
    """Judge what `pulumi preview --json` says would change (`-` reads it from standard input).

    Refused are: a provider, namespace, queue, database, Ceph cluster or control plane that would
    be made anew; CRDs and data that would go; nodes outside --nodes that would be touched. The
    exit code is 0 when nothing is wrong, 1 when something is, and 2 when the file is no preview.
    """
    try:
        steps = read_preview(file.read())
        allowed = None if nodes is None else expand(nodes) if nodes else ()
    except (PreviewError, ValueError) as wrong:
        raise click.UsageError(f"{Path(file.name).name}: {wrong}") from None
    findings = [one for one in changes(steps, allowed) if one.rule not in accept]
    if form == "json":
        click.echo(json.dumps({"findings": [plain(one) for one in findings]}, indent=2))
    else:
        print_findings(findings)
        click.echo(_summary(steps))
    errors, warnings = counted(findings)
    sys.exit(1 if errors or (strict and warnings) else 0)


def _summary(steps: tuple[Step, ...]) -> str:
    done = Counter("replace" if step.replaces else step.op for step in steps if step.touches)
    return ", ".join(f"{count} to {op}" for op, count in sorted(done.items())) or "nothing to do"
