"""The chart folders: what is in them, and that writing them again leaves them alone."""

from __future__ import annotations

import dataclasses
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from gpu_cluster_sandbox.charts import write_charts
from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.charts.facts import load_crds, load_facts
from gpu_cluster_sandbox.charts.render import chart_files
from pulumi_gpu_cluster.catalog.charts import CHARTS, CrdDelivery

AS_FILES = {CrdDelivery.CRDS_FOLDER, CrdDelivery.HOOK, CrdDelivery.OPERATOR}


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_charts(tmp_path_factory.mktemp("charts"))


def times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_bundled_chart_has_one_version_where_its_parent_takes_several(
    charts: dict[str, Path],
) -> None:
    folder = charts["kube-prometheus-stack"]
    parent = json.loads((folder / "Chart.yaml").read_text())
    wanted = {one["name"]: one["version"] for one in parent["dependencies"]}
    assert wanted["prometheus-windows-exporter"] == "0.12.*"
    for name in wanted:
        about = json.loads((folder / "charts" / name / "Chart.yaml").read_text())
        assert re.fullmatch(r"\d+\.\d+\.\d+", about["version"]), name


@pytest.mark.parametrize("name", STAND_INS)
def test_a_chart_has_the_real_ones_name_and_version(charts: dict[str, Path], name: str) -> None:
    about = yaml.safe_load((charts[name] / "Chart.yaml").read_text())
    assert (about["name"], about["version"]) == (name, CHARTS[name].version)
    assert charts[name].name == name


def test_the_gpu_operators_version_keeps_its_v_and_kueues_has_none(
    charts: dict[str, Path],
) -> None:
    versions = {
        name: yaml.safe_load((charts[name] / "Chart.yaml").read_text())["appVersion"]
        for name in ("gpu-operator", "kueue", "volcano")
    }
    expected = {"gpu-operator": "v26.7.0", "kueue": "v0.19.2", "volcano": "1.15.1"}
    assert expected.items() <= versions.items()


@pytest.mark.parametrize("name", STAND_INS)
def test_crds_come_the_way_the_real_chart_brings_them(charts: dict[str, Path], name: str) -> None:
    folder = charts[name]
    for crd_set in CHARTS[name].crds:
        inner = folder / "charts" / crd_set.subchart if crd_set.subchart else folder
        as_files = crd_set.delivery in AS_FILES
        where = inner / "crds" if as_files else inner / "templates"
        prefix = "" if as_files else "crd-"
        found = {path.name for path in where.glob(f"{prefix}*.*.yaml")}
        assert {f"{prefix}{crd}.yaml" for crd in crd_set.names} <= found
    everywhere = {path.name for path in folder.rglob("*.*.yaml") if path.parent.name == "crds"}
    everywhere |= {path.name.removeprefix("crd-") for path in folder.rglob("crd-*.yaml")}
    assert everywhere == {f"{crd}.yaml" for crd in CHARTS[name].crd_names}


def test_a_chart_that_upgrades_its_crds_by_a_hook_has_the_hook(charts: dict[str, Path]) -> None:
    hook = (charts["gpu-operator"] / "templates" / "upgrade-crd.yaml").read_text()
    assert "helm.sh/hook: pre-upgrade" in hook


def test_bundled_charts_are_switched_as_in_the_real_chart(charts: dict[str, Path]) -> None:
    about = yaml.safe_load((charts["gpu-operator"] / "Chart.yaml").read_text())
    assert about["dependencies"] == [
        {
            "condition": "nfd.enabled",
            "name": "node-feature-discovery",
            "repository": "",
            "version": "0.19.0",
        }
    ]


def test_writing_again_touches_nothing(tmp_path: Path) -> None:
    write_charts(tmp_path)
    before = times(tmp_path / "kueue")
    write_charts(tmp_path)
    assert times(tmp_path / "kueue") == before


def test_a_chart_that_was_tampered_with_is_made_whole(tmp_path: Path) -> None:
    folder = write_charts(tmp_path)["volcano"]
    schema = folder / "values.schema.json"
    whole = schema.read_text()
    schema.write_text("{}")
    (folder / "templates" / "extra.yaml").write_text("a: b")
    untouched = times(tmp_path / "kueue")
    write_charts(tmp_path)
    assert schema.read_text() == whole
    assert not (folder / "templates" / "extra.yaml").exists()
    assert times(tmp_path / "kueue") == untouched


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    for leftover in (".kueue.new", ".kueue.old"):
        (tmp_path / leftover / "templates").mkdir(parents=True)
        (tmp_path / leftover / "half.yaml").write_text("half")
    write_charts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([".lock", *STAND_INS])


def test_several_at_once_do_not_clash(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(write_charts, [tmp_path] * 4))
    assert all(result == results[0] for result in results)
    assert json.loads((tmp_path / "kueue" / "Chart.yaml").read_text())["name"] == "kueue"


def test_a_newer_pin_than_the_stand_in_says_what_to_do() -> None:
    newer = dataclasses.replace(CHARTS["kueue"], version="9.9.9")
    with pytest.raises(ValueError, match=r"made for 0\.19\.2, but 9\.9\.9 is pinned; harvest it"):
        chart_files(newer, STAND_INS["kueue"], load_facts("kueue"), load_crds("kueue"))


def test_a_crd_that_only_the_catalogue_knows_is_named() -> None:
    crds = dataclasses.replace(CHARTS["kueue"].crds[0], names=("things.example.org",))
    chart = dataclasses.replace(CHARTS["kueue"], crds=(crds,))
    with pytest.raises(ValueError, match=r"differ in the CRDs .*things\.example\.org"):
        chart_files(chart, STAND_INS["kueue"], load_facts("kueue"), load_crds("kueue"))


def test_no_text_of_a_crd_is_taken_for_a_template() -> None:
    crds = load_crds("kueue")
    crds[""][0]["spec"]["names"]["shortNames"] = ["{{ boom }}"]
    files = chart_files(CHARTS["kueue"], STAND_INS["kueue"], load_facts("kueue"), crds)
    name = crds[""][0]["metadata"]["name"]
    assert '{{ "{{" }} boom }}' in files[f"templates/crd-{name}.yaml"]
