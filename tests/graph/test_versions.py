"""Whatever a site installs is pinned in one place, and `gpu-cluster versions` tells it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast

import pytest
import yaml
from click.testing import CliRunner
from graph_sites import site
from recorded_graph import Graph, record
from site_variants import VARIANTS

from gpu_cluster_sandbox.stack.throw_away import made, put_back, take_out_secrets, wanted_secrets
from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts import CHARTS
from pulumi_gpu_cluster.cli.main import command
from pulumi_gpu_cluster.site import Site

RELEASE = "kubernetes:helm.sh/v3:Release"
STACKS = sorted((Path(__file__).parents[2] / "stacks").glob("Pulumi.*.yaml"))
SITES = [*VARIANTS, *(path.name for path in STACKS)]
PINNED = {value for name, value in vars(versions).items() if name.isupper()}


@cache
def _graph(name: str) -> Graph:
    if name in VARIANTS:
        return record(lambda: GpuCluster("c", site(VARIANTS[name])))
    example = _example(next(path for path in STACKS if path.name == name))
    return record(lambda: GpuCluster("c", example))


def _example(path: Path) -> Site:
    """The site of a stack file as the sandbox has it: a control plane, and unused secrets."""
    raw = yaml.safe_load(path.read_text("utf-8"))["config"]["gpu-cluster:site"]
    raw["control_plane"] = {"kind": "existing", "version": raw["control_plane"]["version"]}
    held = take_out_secrets(raw)
    for secret in wanted_secrets(Site.model_validate(raw), held):
        put_back(raw, secret.path, made(secret))
    return Site.model_validate(raw)


def _images(value: object, key: str = "") -> Iterator[str]:
    """Every image of a container in an object."""
    if isinstance(value, Mapping):
        for name, below in cast("Mapping[str, object]", value).items():
            if name == "image" and key in ("containers", "initContainers"):
                yield str(below)
            yield from _images(below, name)
    elif isinstance(value, list):
        for below in cast("list[object]", value):
            yield from _images(below, key)


def test_an_image_of_a_container_would_be_found() -> None:
    pod = {"image": "no", "spec": {"template": {"containers": [{"name": "a", "image": "a:1"}]}}}
    assert list(_images(pod)) == ["a:1"]


@pytest.mark.parametrize("name", SITES)
def test_every_release_is_at_the_version_that_is_pinned(name: str) -> None:
    releases = _graph(name).of(RELEASE)
    assert releases
    for one in releases:
        chart = CHARTS[one.props["name"]]
        assert one.props["version"] == chart.version
        assert chart.version in PINNED, f"{chart.name}: pin it in catalog/versions.py"


@pytest.mark.parametrize("name", SITES)
def test_every_image_in_an_object_of_ours_is_pinned(name: str) -> None:
    for one in _graph(name).resources:
        if one.type != RELEASE:
            assert set(_images(dict(one.props))) <= PINNED, one.urn


def test_every_pinned_chart_is_installed_by_some_site() -> None:
    installed = {one.props["name"] for name in VARIANTS for one in _graph(name).of(RELEASE)}
    assert installed == set(CHARTS), "add a variant to site_variants.py, or drop the chart"


def test_versions_tells_every_chart_and_every_image() -> None:
    done = CliRunner().invoke(command, ["versions", "--format", "json"])
    told = json.loads(done.output)
    assert told["charts"] == {name: chart.version for name, chart in CHARTS.items()}
    assert set(told["images"].values()) == {
        value for name, value in vars(versions).items() if name.endswith("_IMAGE")
    }
