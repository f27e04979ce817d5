"""Manners that every component has, whatever it makes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pulumi
import pytest
from component_cases import MAKERS, Maker
from recorded_graph import Graph, Registered, record

import pulumi_gpu_cluster
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.other_languages.components import COMPONENTS

TYPES = sorted(MAKERS)


def _component_classes() -> Iterator[type[pulumi.ComponentResource]]:
    package = pulumi_gpu_cluster
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.endswith(".__main__"):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(one, pulumi.ComponentResource) and one.__module__ == module.name:
                yield one


def test_every_component_of_the_package_is_held_to_these_manners() -> None:
    made: set[type] = set()

    def program() -> None:
        for token, make in MAKERS.items():
            made.add(type(make(f"one-{token.rpartition(':')[2].lower()}")))

    record(program)
    # Those for other languages are these once more; tests/composition compares the two.
    missing = set(_component_classes()) - made - {KubernetesComponent} - set(COMPONENTS)
    assert not missing, "give each a maker in component_cases.py and a test of its graph"


@pytest.mark.parametrize("token", TYPES)
def test_a_component_registers_under_its_one_type_token(token: str) -> None:
    graph = record(lambda: MAKERS[token]("a"))
    assert graph.named("a", token)


@pytest.mark.parametrize("token", TYPES)
def test_two_of_a_component_in_one_stack_have_no_urn_in_common(token: str) -> None:
    graph = record(lambda: (MAKERS[token]("a"), MAKERS[token]("b")))
    urns = [resource.urn for resource in graph.resources]
    assert len(urns) == len(set(urns)), "a second cluster in the same stack would collide"


@pytest.mark.parametrize("token", TYPES)
def test_children_are_named_after_their_parent_and_belong_to_it(token: str) -> None:
    graph = record(lambda: MAKERS[token]("a"))
    for resource in _below(graph, token):
        parent = graph.by_urn(resource.parent)
        scope = "a" if parent.type == "gpu-cluster:node-pools:NodePool" else parent.name
        assert resource.name.startswith(f"{scope}-"), resource.urn


@pytest.mark.parametrize("token", TYPES)
def test_every_component_registers_its_outputs_once(token: str) -> None:
    graph = record(lambda: MAKERS[token]("a"))
    components = {resource.urn for resource in graph.resources if not resource.custom}
    assert sorted(urn for urn, _ in graph.outputs) == sorted(components)


@pytest.mark.parametrize("token", TYPES)
def test_every_kubernetes_object_names_its_provider(token: str) -> None:
    graph = record(lambda: MAKERS[token]("a"))
    for resource in _below(graph, token):
        if resource.type.startswith("kubernetes:"):
            assert ":providers:kubernetes::" in resource.provider, resource.urn


@pytest.mark.parametrize("token", sorted(set(TYPES) - {"gpu-cluster:cluster:GpuCluster"}))
def test_the_inputs_of_a_component_are_there_for_policies_to_see(token: str) -> None:
    graph = record(lambda: MAKERS[token]("a"))
    assert graph.named("a", token).props


def test_a_component_without_a_provider_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_provider(_name: str) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions()

    monkeypatch.setattr("component_cases.provider_options", no_provider)
    make: Maker = MAKERS["gpu-cluster:tenancy:Tenant"]
    with pytest.raises(pulumi.RunError, match="given no Kubernetes provider"):
        record(lambda: make("a"))


def _below(graph: Graph, token: str) -> list[Registered]:
    top = graph.named("a", token)
    found = [resource for resource in graph.resources if resource.parent]
    assert found, f"{top.urn} has no children"
    return found
