"""Where Helm charts come from: upstream repositories, a mirror, or a directory (air gap)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pulumi_gpu_cluster.catalog.charts import Chart
from pulumi_gpu_cluster.section import Section, Text

_OCI = "oci://"


class ChartsArgs(Section):
    """The source of every third-party chart."""

    source: Literal["upstream", "mirror", "directory"] = "upstream"
    """`upstream`: each project's own repository. `mirror`: one OCI or HTTP repository that
    holds them all. `directory`: chart folders or archives on disk."""

    url: Text | None = None
    """With `mirror`: oci://registry/path or https://host/path."""

    path: Text | None = None
    """With `directory`: the folder, relative to that of Pulumi.yaml."""


@dataclass(frozen=True, slots=True)
class ChartLocation:
    """A chart as Helm is told to find it.

    Attributes:
        chart: Its name in a repository, its OCI address, or its path.
        repository: Address of the HTTP repository; None where `chart` says it all.
    """

    chart: str
    repository: str | None = None


def locate(source: ChartsArgs, chart: Chart, *, folder: Path) -> ChartLocation:
    """Where this site finds a chart.

    Args:
        source: The site's choice; its rules have seen to it that url or path is there.
        chart: The chart, as the catalogue has it.
        folder: The folder that `path` names, as seen from here.
    """
    if source.source == "directory":
        unpacked = folder / chart.name
        archive = folder / f"{chart.name}-{chart.version}.tgz"
        return ChartLocation(str(unpacked if unpacked.is_dir() else archive))
    repository = chart.repository if source.source == "upstream" else source.url or ""
    if repository.startswith(_OCI):
        return ChartLocation(f"{repository.rstrip('/')}/{chart.name}")
    return ChartLocation(chart.name, repository)
