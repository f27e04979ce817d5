"""`gpu-cluster versions`: what this release installs."""

from __future__ import annotations

import json
from importlib import metadata

import click

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts import CHARTS
from pulumi_gpu_cluster.catalog.drivers import qualified

_IMAGE = "_IMAGE"


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
    own = {"pulumi-gpu-cluster": metadata.version("pulumi-gpu-cluster")}
    charts = {name: chart.version for name, chart in sorted(CHARTS.items())}
    images = _images()
    works_with = {"kubernetes": list(versions.KUBERNETES_MINORS), "drivers": list(qualified())}
    if form == "json":
        told = {**own, "charts": charts, "images": images, **works_with}
        click.echo(json.dumps(told, indent=2))
        return
    joined = {name: ", ".join(every) for name, every in works_with.items()}
    rows = {**own, **charts, **images, **joined}
    width = max(map(len, rows))
    for name, version in rows.items():
        click.echo(f"{name:<{width}}  {version}")


def _images() -> dict[str, str]:
    """Images that we name ourselves, by what they are for."""
    return {
        f"{name.removesuffix(_IMAGE).lower().replace('_', '-')} image": reference
        for name, reference in sorted(vars(versions).items())
        if name.endswith(_IMAGE)
    }
