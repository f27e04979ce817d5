"""What we hand to charts and operators is what the pinned ones take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from graph_sites import site
from jsonschema import Draft7Validator
from recorded_graph import Graph, Registered, record
from site_variants import VARIANTS

from gpu_cluster_sandbox.charts import values_schema
from gpu_cluster_sandbox.charts.facts import load_crds
from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.catalog.charts import CHARTS

RELEASE = "kubernetes:helm.sh/v3:Release"
# Groups of Kubernetes' own end in .k8s.io or have no dot; those of projects end in .x-k8s.io.
BUILT_IN = re.compile(r"^(v1$|[a-z]+/|[a-z.]+\.k8s\.io/)")


def _graph(variant: str) -> Graph:
    return record(lambda: GpuCluster("c", site(VARIANTS[variant])))


def _schemas() -> dict[tuple[str, str], dict[str, Any]]:
    """Schema of every custom kind, by apiVersion and kind."""
    return {
        (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]): version[
            "schema"
        ]["openAPIV3Schema"]
        for chart in CHARTS
        for crds in load_crds(chart).values()
        for crd in crds
        for version in crd["spec"]["versions"]
    }


def _closed(schema: Any) -> Any:
    """The schema, refusing what the API server would silently prune, and taking its own types."""
    if isinstance(schema, list):
        children = cast("Any", schema)
        return [_closed(one) for one in children]
    if not isinstance(schema, dict):
        return schema
    given = cast("dict[str, Any]", schema)
    if given.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"], **{k: given[k] for k in ("pattern",) if k in given}}
    closed = {key: _closed(value) for key, value in given.items()}
    if (
        "properties" in given
        and "additionalProperties" not in given
        and not given.get("x-kubernetes-preserve-unknown-fields")
    ):
        closed["additionalProperties"] = False
    return closed


def _whole(value: Any) -> Any:
    """Numbers as they were before the recording made floats of them."""
    if isinstance(value, Mapping):
        return {key: _whole(one) for key, one in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        values = cast("Any", value)
        return [_whole(one) for one in values]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _custom_resources(graph: Graph) -> Iterator[Registered]:
    for one in graph.resources:
        version = one.props.get("apiVersion", "")
        if version and not BUILT_IN.match(version):
            yield one


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_custom_resource_fits_the_schema_of_its_crd(variant: str) -> None:
    schemas = _schemas()
    checked = 0
    for one in _custom_resources(_graph(variant)):
        schema = _closed(schemas[one.props["apiVersion"], one.props["kind"]])
        schema["properties"]["metadata"] = {"type": "object"}
        faults = [
            f"{fault.json_path}: {fault.message}"
            for fault in Draft7Validator(schema).iter_errors(_whole(one.props))
        ]
        assert not faults, f"{one.urn}: {faults}"
        checked += 1
    assert checked >= 5


def test_a_misspelt_field_of_a_custom_resource_would_be_found() -> None:
    queue = next(
        one for one in _custom_resources(_graph("kueue")) if one.props["kind"] == "ClusterQueue"
    )
    schema = _closed(_schemas()["kueue.x-k8s.io/v1beta2", "ClusterQueue"])
    schema["properties"]["metadata"] = {"type": "object"}
    wrong = {**_whole(queue.props), "spec": {**queue.props["spec"], "cohort": "lab"}}
    faults = [fault.json_path for fault in Draft7Validator(schema).iter_errors(wrong)]
    assert faults == ["$.spec"]


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_value_is_one_that_its_chart_knows(variant: str) -> None:
    for release in _graph(variant).of(RELEASE):
        validator = Draft7Validator(values_schema(release.props["name"]))
        faults = [
            f"{fault.json_path}: {fault.message}"
            for fault in validator.iter_errors(_whole(release.props["values"]))
        ]
        assert not faults, f"{release.name}: {faults}"
