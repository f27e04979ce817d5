"""The SDK's own analyzer reads our components, and what it hands over becomes the same objects."""

from __future__ import annotations

import json
from typing import Any, NotRequired, get_type_hints

import pulumi
import pytest
from component_cases import provider_options
from pulumi.provider.experimental.component import ComponentProvider
from recorded_graph import Graph, record

from pulumi_gpu_cluster import NodePool, NodePoolArgs, Tenant, TenantArgs
from pulumi_gpu_cluster.other_languages.components import COMPONENTS
from pulumi_gpu_cluster.other_languages.components import Tenant as OtherTenant
from pulumi_gpu_cluster.other_languages.inputs import inputs_of, raw_section
from pulumi_gpu_cluster.section import Section

POOL = {
    "name": "train",
    "nodes": "gpu[1-2]",
    "cpus": 192,
    "memory": "1800Gi",
    "gpu": {"model": "H100-SXM5-80GB"},
    "driver": {"version": "580.173.02", "kernelModule": "open"},
    "taints": [{"key": "nvidia.com/gpu"}],
}
TENANT = {
    "name": "ml",
    "group": "ml",
    "quota": {
        "pods": 50,
        "pools": {
            "train": {"gpu": {"guarantee": 8, "ceiling": 16}},
            "serve": {"devices": {"mig-3g.40gb": {"guarantee": 4}}},
        },
    },
}
CEILINGS = {"requests.nvidia.com/gpu": "16", "pods": "50"}


@pytest.fixture(scope="module")
def provider() -> ComponentProvider:
    return ComponentProvider(COMPONENTS, "gpu-cluster", version="0.1.0")


@pytest.fixture(scope="module")
def schema(provider: ComponentProvider) -> dict[str, Any]:
    assert provider.schema is not None
    made: dict[str, Any] = json.loads(provider.schema)
    return made


def test_the_analyzer_takes_every_component_that_is_meant_for_it(schema: dict[str, Any]) -> None:
    assert set(schema["resources"]) == {"gpu-cluster:index:NodePool", "gpu-cluster:index:Tenant"}


@pytest.mark.parametrize("section", [NodePoolArgs, TenantArgs])
def test_an_input_for_each_key_of_the_section_and_no_other(
    schema: dict[str, Any], section: type[Section]
) -> None:
    name = section.__name__.removesuffix("Args")
    told = schema["types"][f"gpu-cluster:index:{name}Inputs"]
    assert {key.lower() for key in told["properties"]} == {
        key.replace("_", "") for key in section.model_fields
    }
    required = {key for key, field in section.model_fields.items() if field.is_required()}
    assert set(told["required"]) == required


def test_keys_of_the_authors_own_choice_are_a_mapping_with_a_name(schema: dict[str, Any]) -> None:
    quota = schema["types"]["gpu-cluster:index:QuotaInputs"]["properties"]
    assert quota["pools"]["additionalProperties"]["$ref"].endswith(":PoolQuotaInputs")
    in_pool = schema["types"]["gpu-cluster:index:PoolQuotaInputs"]["properties"]
    assert in_pool["devices"]["additionalProperties"]["$ref"].endswith(":CountShareInputs")


def _same(one: Graph, other: Graph) -> None:
    assert one.resources
    assert {each.urn: each.props for each in one.resources} == {
        each.urn: each.props for each in other.resources
    }


def test_a_tenant_from_another_language_is_the_tenant(provider: ComponentProvider) -> None:
    token = "gpu-cluster:index:Tenant"  # noqa: S105 - a type token
    inputs = {"tenant": TENANT, "ceilings": CEILINGS}
    quota = {
        "pods": 50,
        "train": {"gpu": {"guarantee": 8, "ceiling": 16}},
        "serve": {"mig-3g.40gb": 4},
    }
    args = TenantArgs.model_validate({"name": "ml", "group": "ml", "quota": quota})
    _same(
        record(lambda: provider.construct("ml", token, inputs, provider_options("ml"))),
        record(lambda: Tenant("ml", args, ceilings=CEILINGS, opts=provider_options("ml"))),
    )


def test_a_pool_from_another_language_is_the_pool(provider: ComponentProvider) -> None:
    token = "gpu-cluster:index:NodePool"  # noqa: S105 - a type token
    raw = {**POOL, "driver": {"version": "580.173.02", "kernel_module": "open"}}
    args = NodePoolArgs.model_validate(raw)
    _same(
        record(lambda: provider.construct("a", token, {"pool": POOL}, provider_options("a"))),
        record(lambda: NodePool("a", args, opts=provider_options("a"))),
    )


def test_a_limit_may_come_from_another_resource(provider: ComponentProvider) -> None:
    def program() -> None:
        ceilings = {"pods": pulumi.Output.from_input("7")}
        inputs = {"tenant": TENANT, "ceilings": ceilings}
        provider.construct("ml", "gpu-cluster:index:Tenant", inputs, provider_options("ml"))

    quota = record(program).named("ml-quota", "kubernetes:core/v1:ResourceQuota")
    assert quota.props["spec"]["hard"] == {"pods": "7"}


def test_inputs_that_do_not_fit_are_told_in_words() -> None:
    wrong = {"tenant": {**TENANT, "weight": 0, "colour": "red"}, "ceilings": {}}
    with pytest.raises(pulumi.RunError) as failure:
        record(lambda: OtherTenant("ml", wrong, provider_options("ml")))
    told = str(failure.value)
    assert "tenant.weight: " in told
    assert "tenant.colour: " in told


def test_a_type_without_counterpart_is_refused_when_the_type_is_made() -> None:
    class OddArgs(Section):
        either: int | str = 0

    with pytest.raises(TypeError, match="no counterpart in other languages"):
        inputs_of(OddArgs)


def test_what_is_optional_in_the_model_is_optional_there() -> None:
    hints = get_type_hints(inputs_of(TenantArgs), include_extras=True)
    assert hints["gang"] == NotRequired[int]


def test_a_section_without_free_keys_goes_through_unchanged() -> None:
    raw = {key: value for key, value in POOL.items() if key != "driver"}
    assert raw_section(NodePoolArgs, raw) == raw
