"""What counts as a known value path."""

from __future__ import annotations

import pytest

from gpu_cluster_sandbox.charts.shapes import (
    Shape,
    merged,
    opened,
    shape_of,
    shape_of_schema,
)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (None, "any"),
        ("", "scalar"),
        (0, "scalar"),
        (False, "scalar"),
        ([], "list"),
        ([{"a": 1}], "list"),
        ({}, "map"),
        ({"b": 1, "a": {"c": None}}, {"a": {"c": "any"}, "b": "scalar"}),
    ],
)
def test_a_default_tells_its_shape_and_never_its_type(value: object, shape: Shape) -> None:
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    "key", ["nodeSelector", "podAnnotations", "labels", "affinity", "podSecurityContext"]
)
def test_a_map_that_charts_pass_on_whole_is_open_though_it_shows_a_default(key: str) -> None:
    assert shape_of({key: {"kubernetes.io/os": "linux"}}) == {key: "map"}


def test_resources_are_closed_and_what_they_name_is_open() -> None:
    assert shape_of({"limits": {"cpu": 1}}) == {
        "claims": "list",
        "limits": "map",
        "requests": "map",
    }


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ({"a": "scalar"}, {"b": "list"}, {"a": "scalar", "b": "list"}),
        ({"a": {"x": "scalar"}}, {"a": "any"}, {"a": "any"}),
        ({"a": {"x": "scalar"}}, {"a": "map"}, {"a": "map"}),
        ({"a": "scalar"}, {"a": "list"}, {"a": "any"}),
        ({"a": "scalar"}, {"a": "scalar"}, {"a": "scalar"}),
    ],
)
def test_of_two_shapes_the_wider_one_holds(one: Shape, other: Shape, both: Shape) -> None:
    assert merged(one, other) == both
    assert merged(other, one) == both


def test_an_opened_path_takes_anything_and_leaves_its_neighbours_closed() -> None:
    shape: dict[str, Shape] = {"a": {"b": {"c": "scalar"}, "d": "scalar"}}
    assert opened(shape, ["a.b", "a.new"]) == {"a": {"b": "any", "d": "scalar", "new": "any"}}


def test_a_path_through_a_scalar_cannot_be_opened() -> None:
    with pytest.raises(KeyError, match=r"a\.b\.c"):
        opened({"a": {"b": "scalar"}}, ["a.b.c"])


def test_a_charts_own_schema_adds_the_keys_it_names() -> None:
    schema = {"properties": {"a": {"properties": {"b": {"type": "string"}}}, "c": {}}}
    assert shape_of_schema(schema) == {"a": {"b": "any"}, "c": "any"}
