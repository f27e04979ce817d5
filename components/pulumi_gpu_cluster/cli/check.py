"""`gpu-cluster check`: is this site file all right?"""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path

import click

from pulumi_gpu_cluster.cli.output import counted, plain, print_findings
from pulumi_gpu_cluster.cli.reports import junit, sarif
from pulumi_gpu_cluster.findings import Finding
from pulumi_gpu_cluster.reading.loading import load_stack_file
from pulumi_gpu_cluster.wording import number_of


@click.command("check")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "junit"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail the check too.")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day to judge by, for rules with a date; today by default.",
)
def command(files: tuple[Path, ...], form: str, as_of: dt.datetime | None, *, strict: bool) -> None:
    """Check the sites in stack files, without the engine and without a cluster.

    All findings of all files are printed at once. The exit code is 0 when nothing is wrong,
    1 when something is, and 2 when the command itself is wrong. SARIF is what annotations in code
    reviews are made of, JUnit what test reports are.
    """
    day = as_of.date() if as_of is not None else None
    found = {file: load_stack_file(file, as_of=day).findings for file in files}
    if form == "sarif":
        click.echo(sarif(found))
    elif form == "junit":
        click.echo(junit(found, strict=strict))
    elif form == "json":
        _print_json(found)
    else:
        _print_text(found)
    errors, warnings = counted(finding for findings in found.values() for finding in findings)
    sys.exit(1 if errors or (strict and warnings) else 0)


def _print_text(found: dict[Path, tuple[Finding, ...]]) -> None:
    for file, findings in found.items():
        print_findings(findings)
        errors, warnings = counted(findings)
        total = [
            number_of(count, what)
            for count, what in ((errors, "error"), (warnings, "warning"))
            if count
        ]
        click.echo(f"{file}: {', '.join(total) or 'ok'}")


def _print_json(found: dict[Path, tuple[Finding, ...]]) -> None:
    errors, warnings = counted(finding for findings in found.values() for finding in findings)
    report = {
        "files": [
            {"file": str(file), "findings": [plain(finding) for finding in findings]}
            for file, findings in found.items()
        ],
        "errors": errors,
        "warnings": warnings,
    }
    click.echo(json.dumps(report, indent=2))
