"""`gpu-cluster versions`: what this release installs."""

from __future__ import annotations

import json
from importlib import metadata

import click

from pulumi_gpu_cluster.catalog.charts import CHARTS
from pulumi_gpu_cluster.catalog.drivers import qualified
from pulumi_gpu_cluster.catalog.versions import KUBERNETES_MINORS


@click.command("versions")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
def command(form: str) -> None:
    """Print the versions that this release installs, and those that it works with."""
    pinned = {name: chart.version for name, chart in sorted(CHARTS.items())}
    rows = {
        "pulumi-gpu-cluster": metadata.version("pulumi-gpu-cluster"),
        **pinned,
        "kubernetes": list(KUBERNETES_MINORS),
        "drivers": list(qualified()),
    }
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(map(len, rows))
    for name, version in rows.items():
        text = version if isinstance(version, str) else ", ".join(version)
        click.echo(f"{name:<{width}}  {text}")
