"""Makes the committed facts from the real charts' values and CRDs.

    python -m gpu_cluster_sandbox.charts.harvest --from FOLDER

FOLDER holds `charts/<chart>/{Chart.yaml,values.yaml}` and `crds/<chart>/<one file per CRD>`,
taken from the projects' releases. Only structure is kept of them: names of keys, and schemas
without prose.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from gpu_cluster_sandbox.charts.catalogue import STAND_INS, Source, StandIn
from gpu_cluster_sandbox.charts.comments import commented_keys
from gpu_cluster_sandbox.charts.facts import DATA, ChartFacts, Dependency, save
from gpu_cluster_sandbox.charts.shapes import (
    ANY,
    MAP,
    Shape,
    merged,
    opened,
    shape_of,
    shape_of_schema,
)
from gpu_cluster_sandbox.charts.structural import structural_crd
from pulumi_gpu_cluster.catalog.charts import CHARTS, Chart

Json = dict[str, Any]


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: a plain `=`, as in an enum, is a string."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: str(node.value))


def read(path: Path) -> Any:
    """What a YAML file holds."""
    return yaml.load(path.read_text("utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader


def values_shape(folder: Path) -> dict[str, Shape]:
    """The shape of the values of the chart in a folder, with what it shows in comments.

    A chart's own schema adds the keys it names: some charts describe keys there alone. A chart
    without values knows none.
    """
    text = (folder / "values.yaml").read_text("utf-8")
    defaults: Json = read(folder / "values.yaml") or {}
    shape: Shape = {key: shape_of(value, key) for key, value in defaults.items()}
    for path in commented_keys(text):
        shape = _with_commented(shape, path)
    schema = folder / "values.schema.json"
    if schema.exists():
        shape = merged(shape, shape_of_schema(read(schema)))
    return shape if isinstance(shape, dict) else {}


def _with_commented(shape: Shape, path: tuple[str, ...]) -> Shape:
    if not isinstance(shape, dict):
        return shape  # below an open value, where every key is known anyway
    key, *below = path
    if not below:
        return {**shape, key: shape.get(key, ANY)}
    return {**shape, key: _with_commented(shape[key], tuple(below))}


def chart_facts(chart: Chart, stand_in: StandIn, root: Path) -> ChartFacts:
    """The facts of one chart.

    Args:
        chart: The chart as the product's catalogue pins it.
        stand_in: Where its facts lie.
        root: The harvested folder.

    Raises:
        click.ClickException: The folder holds another version than the pinned one.
    """
    if stand_in.source.values is None:
        raise click.ClickException(f"{chart.name}: the values of the chart itself are needed")
    folder = root / stand_in.source.values
    about: Json = read(folder / "Chart.yaml") if (folder / "Chart.yaml").exists() else {}
    held = str(about.get("version", chart.version))
    published = held != stand_in.unpublished
    if published and held != chart.version:
        raise click.ClickException(
            f"{chart.name}: {folder} holds version {held}, but {chart.version} is pinned; "
            "change catalog/versions.py, or harvest the pinned version"
        )
    shape = opened(values_shape(folder), (*stand_in.also_known, *stand_in.open_paths))
    dependencies = tuple(
        Dependency(
            entry["name"],
            str(entry["version"]),
            entry.get("condition", ""),
            entry.get("alias", ""),
        )
        for entry in about.get("dependencies", ())
    )
    bundled = {source.name: source for source in stand_in.bundled}
    unchecked: list[str] = []
    for dependency in dependencies:
        key = dependency.key
        source = bundled.get(key, Source(None))
        if source.values is None:
            unchecked.append(key)
            shape[key] = ANY
        else:
            below = {**values_shape(root / source.values), "global": MAP}
            shape[key] = merged(below, shape.get(key, below))
    return ChartFacts(
        version=chart.version,
        app_version=str(about.get("appVersion", chart.version)) if published else chart.version,
        values=dict(sorted({**shape, "global": MAP}.items())),
        dependencies=dependencies,
        unchecked=tuple(sorted(unchecked)),
        defaults=_defaults(stand_in, root),
    )


def _defaults(stand_in: StandIn, root: Path) -> Json:
    """The values that become fields of the objects which the chart makes out of them."""
    if not stand_in.projected or stand_in.source.values is None:
        return {}
    fields = {
        field
        for crd in _crds(stand_in.source, root)
        if crd["metadata"]["name"] in stand_in.projected
        for version in crd["spec"]["versions"]
        for field in version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    }
    values: Json = read(root / stand_in.source.values / "values.yaml")
    return {key: value for key, value in values.items() if key in fields}


def chart_crds(stand_in: StandIn, root: Path) -> dict[str, list[Json]]:
    """The structural CRDs of one chart, by the bundled chart they belong to."""
    sources = (stand_in.source, *stand_in.made_later)
    crds = {"": [crd for source in sources for crd in _crds(source, root)]}
    for source in stand_in.bundled:
        crds[source.name] = _crds(source, root)
    bundled = {crd["metadata"]["name"] for name in crds if name for crd in crds[name]}
    crds[""] = [crd for crd in crds[""] if crd["metadata"]["name"] not in bundled]
    return crds


def _crds(source: Source, root: Path) -> list[Json]:
    if source.crds is None:
        return []
    documents = (read(path) for path in sorted((root / source.crds).glob("*.yaml")))
    crds = (structural_crd(document) for document in documents)
    return [crd for crd in crds if not source.only or crd["spec"]["group"] in source.only]


def harvest(
    root: Path, folder: Path = DATA, stand_ins: Mapping[str, StandIn] = STAND_INS
) -> list[str]:
    """Harvests every chart.

    Returns:
        Names of the charts whose facts changed.
    """
    return [
        name
        for name, stand_in in stand_ins.items()
        if save(name, chart_facts(CHARTS[name], stand_in, root), chart_crds(stand_in, root), folder)
    ]


@click.command(help="Make the stand-in charts' facts from the real charts' values and CRDs.")
@click.option(
    "--from",
    "root",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with charts/ and crds/ of the projects' releases.",
)
def main(root: Path) -> None:
    """The command."""
    changed = harvest(root)
    for name in STAND_INS:
        click.echo(f"{name}: {'written' if name in changed else 'unchanged'}")


if __name__ == "__main__":
    main()
