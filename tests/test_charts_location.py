"""Where a site's charts are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulumi_gpu_cluster.catalog.charts import GPU_OPERATOR, KUEUE, Chart
from pulumi_gpu_cluster.charts import ChartLocation, ChartsArgs, locate


@pytest.mark.parametrize(
    ("chart", "location"),
    [
        (GPU_OPERATOR, ChartLocation("gpu-operator", GPU_OPERATOR.repository)),
        (KUEUE, ChartLocation(f"{KUEUE.repository}/kueue")),
    ],
    ids=["an index", "a registry"],
)
def test_upstream_charts_come_from_their_own_projects(
    chart: Chart, location: ChartLocation
) -> None:
    assert locate(ChartsArgs(), chart, folder=Path()) == location


def test_a_mirror_holds_every_chart_under_its_own_name() -> None:
    registry = ChartsArgs(source="mirror", url="oci://mirror.example/charts/")
    assert locate(registry, KUEUE, folder=Path()) == ChartLocation(
        "oci://mirror.example/charts/kueue"
    )
    index = ChartsArgs(source="mirror", url="https://mirror.example/charts")
    assert locate(index, KUEUE, folder=Path()) == ChartLocation(
        "kueue", "https://mirror.example/charts"
    )


def test_a_directory_holds_folders_or_archives(tmp_path: Path) -> None:
    source = ChartsArgs(source="directory", path="charts")
    assert locate(source, KUEUE, folder=tmp_path).chart == str(
        tmp_path / f"kueue-{KUEUE.version}.tgz"
    )
    (tmp_path / "kueue").mkdir()
    assert locate(source, KUEUE, folder=tmp_path).chart == str(tmp_path / "kueue")
