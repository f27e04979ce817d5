"""`gpu-cluster crds`: before the `pulumi up` that raises a chart."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pulumi_gpu_cluster.charts import locate
from pulumi_gpu_cluster.cli.output import print_findings
from pulumi_gpu_cluster.operations.api_server import AccessError, ApiServer
from pulumi_gpu_cluster.operations.crds.errors import ChartError
from pulumi_gpu_cluster.operations.crds.fetch import chart_crds
from pulumi_gpu_cluster.operations.crds.left_behind import FolderCrds, folder_crds
from pulumi_gpu_cluster.operations.crds.upgrade import missing, upgrade
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server
from pulumi_gpu_cluster.reading.loading import read_stack_file

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site


@click.command("crds")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--context", metavar="NAME", help="Context of the kubeconfig.  [default: current]")
def command(file: Path, context: str | None, *, dry_run: bool) -> None:
    """Bring CRDs that Helm never upgrades to the charts of this release, for the site in FILE.

    Helm installs what lies in a chart's crds/ folder once. Before a `pulumi up` that raises such a
    chart, this takes the CRDs out of the new one, from where the site's charts come from, and
    replaces those that differ. It deletes none, and leaves a chart that is not installed to Helm.

    The cluster is that of KUBECONFIG; with GPU_CLUSTER_KUBECONFIG=- the kubeconfig is read from
    standard input.
    """
    site, findings = read_stack_file(file)
    if site is None:
        print_findings(findings, err=True)
        sys.exit(1)
    try:
        server = open_api_server(os.environ, sys.stdin, context)
        for one in folder_crds(site):
            _bring(server, one, site, _project(file), dry_run=dry_run)
    except (AccessError, ChartError) as stopped:
        raise click.ClickException(str(stopped)) from None


def _bring(server: ApiServer, one: FolderCrds, site: Site, project: Path, *, dry_run: bool) -> None:
    chart = one.chart
    location = locate(site.charts, chart, folder=project / (site.charts.path or "."))
    found = chart_crds(chart, location, os.environ)(one.crds.subchart)
    if lost := missing(one.crds.names, found):
        raise ChartError(
            f"chart {chart.name} {chart.version} of {location.repository or location.chart} lacks "
            f"{', '.join(lost)}; fix: have the chart as it is published"
        )
    outcomes = upgrade(server, found, dry_run=dry_run)
    if not outcomes:
        click.echo(f"{chart.name} {chart.version}: not installed yet, Helm brings its CRDs")
    for outcome in outcomes:
        would = "would be " if dry_run and outcome.change != "unchanged" else ""
        click.echo(f"{chart.name} {chart.version}: {outcome.name} {would}{outcome.change}")


def _project(file: Path) -> Path:
    """The folder of Pulumi.yaml, by which the site file names its folders."""
    folder = file.resolve().parent
    return next(
        (one for one in (folder, *folder.parents) if (one / "Pulumi.yaml").is_file()), Path.cwd()
    )
