"""The committed facts are those of the real charts, and hold no prose."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click
import pytest

from gpu_cluster_sandbox.charts.catalogue import STAND_INS, Source, StandIn
from gpu_cluster_sandbox.charts.facts import load_crds, load_facts
from gpu_cluster_sandbox.charts.harvest import chart_facts, harvest, read
from gpu_cluster_sandbox.charts.structural import structural_crd
from pulumi_gpu_cluster.catalog.charts import CHARTS, Chart


@pytest.fixture(scope="module")
def shared(root: Path) -> Path:
    """The real charts' values and CRDs, where the checkout has them beside it."""
    folder = root.parent / "shared"
    if not (folder / "charts").is_dir():
        pytest.skip("the real charts' files are not beside this checkout")
    return folder


def test_harvesting_again_changes_nothing(shared: Path, tmp_path: Path) -> None:
    assert harvest(shared, tmp_path) == list(STAND_INS)
    for name in STAND_INS:
        assert load_facts(name, tmp_path) == load_facts(name), "harvest and commit"
        assert load_crds(name, tmp_path) == load_crds(name), "harvest and commit"
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert harvest(shared, tmp_path, {"kueue": STAND_INS["kueue"]}) == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written


def test_every_chart_at_hand_can_be_harvested(shared: Path) -> None:
    folders = [path.parent for path in sorted((shared / "charts").rglob("values.yaml"))]
    assert len(folders) > 20
    for folder in folders:
        about = folder / "Chart.yaml"
        version = str(read(about)["version"]) if about.exists() else "1.0.0"
        chart = Chart(folder.name, "", version)
        stand_in = StandIn(source=Source(str(folder.relative_to(shared))), workloads=())
        facts = chart_facts(chart, stand_in, shared)
        dependencies = {dependency.key for dependency in facts.dependencies}
        assert set(facts.unchecked) == dependencies, folder
        assert facts.values["global"] == "map", folder


def test_a_crd_of_every_project_at_hand_can_be_stripped(shared: Path) -> None:
    folders = sorted(path for path in (shared / "crds").iterdir() if path.is_dir())
    assert len(folders) > 20
    for folder in folders:
        # The smallest one, which is read quickly.
        path = min(folder.glob("*.yaml"), key=lambda path: path.stat().st_size)
        assert structural_crd(read(path))["metadata"]["name"] in path.name, path


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all that are nested in it."""
    yield schema
    below: list[Any] = [*schema.get("properties", {}).values()]
    below += [schema.get(key) for key in ("items", "additionalProperties", "not")]
    below += [entry for key in ("allOf", "anyOf", "oneOf") for entry in schema.get(key, ())]
    for inner in below:
        if isinstance(inner, dict):
            yield from schemas(cast("dict[str, Any]", inner))


@pytest.mark.parametrize("name", STAND_INS)
def test_no_schema_holds_prose(name: str) -> None:
    prose = {"description", "title", "example", "externalDocs", "$comment"}
    for crds in load_crds(name).values():
        for crd in crds:
            for version in crd["spec"]["versions"]:
                for schema in schemas(version["schema"]["openAPIV3Schema"]):
                    assert not prose & schema.keys(), crd["metadata"]["name"]
                    for rule in schema.get("x-kubernetes-validations", ()):
                        assert "message" not in rule, crd["metadata"]["name"]


@pytest.mark.parametrize("name", STAND_INS)
def test_the_facts_are_of_the_pinned_version(name: str) -> None:
    assert load_facts(name).version == CHARTS[name].version


@pytest.mark.parametrize("name", STAND_INS)
def test_the_catalogue_names_the_crds_that_the_chart_brings(name: str) -> None:
    named: dict[str, list[str]] = defaultdict(list)
    for crd_set in CHARTS[name].crds:
        named[crd_set.subchart] += crd_set.names
    assert {bundled: sorted(names) for bundled, names in named.items()} == {
        bundled: sorted(crd["metadata"]["name"] for crd in group)
        for bundled, group in load_crds(name).items()
        if group
    }


def test_every_chart_of_the_catalogue_has_a_stand_in() -> None:
    assert set(STAND_INS) == set(CHARTS)


def write_chart(folder: Path, version: str, values: object, **about: object) -> None:
    folder.mkdir(parents=True)
    chart = {"name": folder.name, "version": version, "appVersion": version, **about}
    (folder / "Chart.yaml").write_text(json.dumps(chart))
    (folder / "values.yaml").write_text(json.dumps(values))


def test_a_bundled_chart_without_values_is_open_and_listed_as_unchecked(tmp_path: Path) -> None:
    dependencies = [{"name": "inner", "version": "2"}, {"name": "known", "version": "3"}]
    write_chart(
        tmp_path / "charts/kueue",
        CHARTS["kueue"].version,
        {"a": 1, "known": {"b": 1}},
        dependencies=dependencies,
    )
    write_chart(tmp_path / "charts/known", "3", {"b": {}, "c": 1})
    stand_in = StandIn(
        source=Source("charts/kueue"), workloads=(), bundled=(Source("charts/known", name="known"),)
    )
    facts = chart_facts(CHARTS["kueue"], stand_in, tmp_path)
    assert facts.unchecked == ("inner",)
    assert facts.values == {
        "a": "scalar",
        "global": "map",
        "inner": "any",
        "known": {"b": "any", "c": "scalar", "global": "map"},
    }


def test_another_version_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    write_chart(tmp_path / "charts/kueue", "0.0.1", {"a": 1})
    with pytest.raises(click.ClickException, match=r"kueue: .*0\.0\.1.*is pinned"):
        chart_facts(CHARTS["kueue"], STAND_INS["kueue"], tmp_path)
