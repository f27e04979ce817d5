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
from pulumi_gpu_cluster.catalog.charts import CHARTS

Json = dict[str, Any]


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: a plain `=`, as in an enum, is a string."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: str(node.value))


def read(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """What a YAML file holds."""
    return yaml.load(path.read_text("utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader


def values_shape(folder: Path) -> Shape:
    """The shape of the values of the chart in a folder, with what it shows in comments.

    A chart's own schema adds the keys it names: some charts describe keys there alone.
    """
    text = (folder / "values.yaml").read_text("utf-8")
    shape = shape_of(read(folder / "values.yaml") or {})
    for path in commented_keys(text):
        shape = _with_commented(shape, path)
    schema = folder / "values.schema.json"
    if schema.exists():
        shape = merged(shape, shape_of_schema(read(schema)))
    return shape


def _with_commented(shape: Shape, path: tuple[str, ...]) -> Shape:
    if not isinstance(shape, dict):
        return shape  # below an open value, where every key is known anyway
    key, *below = path
    if not below:
        return {**shape, key: shape.get(key, ANY)}
    return {**shape, key: _with_commented(shape[key], tuple(below))}


def chart_facts(name: str, stand_in: StandIn, root: Path) -> ChartFacts:
    """The facts of one chart.

    Args:
        name: The chart's name in the product's catalogue, which pins its version.
        stand_in: Where its facts lie.
        root: The harvested folder.

    Raises:
        click.ClickException: The folder holds another version than the pinned one.
    """
    if stand_in.source.values is None:
        raise click.ClickException(f"{name}: the values of the chart itself are needed")
    folder = root / stand_in.source.values
    about: Json = read(folder / "Chart.yaml")
    version, app_version = CHARTS[name].version, str(about["appVersion"])
    if str(about["version"]).removeprefix("v") != version.removeprefix("v"):
        # Some projects write the version into Chart.yaml only when they publish.
        if not str(about["version"]).endswith("-devel"):
            raise click.ClickException(
                f"{name}: {folder} holds version {about['version']}, but {version} is pinned; "
                "change catalog/versions.py, or harvest the pinned version"
            )
        app_version = version
    shape = opened(values_shape(folder), (*stand_in.also_known, *stand_in.open_paths))
    if not isinstance(shape, dict):
        raise click.ClickException(f"{name}: {folder}/values.yaml is no mapping")
    dependencies = tuple(
        Dependency(entry["name"], str(entry["version"]), entry.get("condition", ""))
        for entry in about.get("dependencies", ())
    )
    bundled = {source.name: source for source in stand_in.bundled}
    unchecked: list[str] = []
    for dependency in dependencies:
        source = bundled.get(dependency.name, Source(None))
        below = ANY if source.values is None else values_shape(root / source.values)
        if source.values is None:
            unchecked.append(dependency.name)
        shape[dependency.name] = merged(_globals(below), shape.get(dependency.name, _globals({})))
    return ChartFacts(
        version=version,
        app_version=app_version,
        values=dict(sorted({**shape, "global": MAP}.items())),
        dependencies=dependencies,
        unchecked=tuple(sorted(unchecked)),
    )


def _globals(shape: Shape) -> Shape:
    """A bundled chart's shape with `global`, which Helm hands down to every one."""
    return {**shape, "global": MAP} if isinstance(shape, dict) else shape


def chart_crds(stand_in: StandIn, root: Path) -> dict[str, list[Json]]:
    """The structural CRDs of one chart, by the bundled chart they belong to."""
    crds = {"": _crds(stand_in.source, root)}
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
        if save(name, chart_facts(name, stand_in, root), chart_crds(stand_in, root), folder)
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
