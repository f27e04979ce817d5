"""Each case is a few resources and exactly what one rule about sharing GPUs says of them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from policy_stack import faults, found, manifest, pool, release

from gpu_cluster_policies.sharing.layout_names import MIG_LAYOUT_NOT_IN_CONFIG_MAP
from gpu_cluster_policies.sharing.strategy import MIG_SINGLE_WITH_MIXED_LAYOUT, MPS_ON_MIG
from gpu_cluster_policies.sharing.time_slices import TIME_SLICES_NAMED_LIKE_GPUS


def node(layout: str, **labels: str) -> Any:
    every = {"nvidia.com/mig.config": layout, **labels}
    return manifest("core/v1:Node", "n1", labels=every)


def operator(**values: Any) -> Any:
    return release("gpu-operator", values)


SINGLE, MIXED = {"mig": {"strategy": "single"}}, {"mig": {"strategy": "mixed"}}


def test_under_the_single_strategy_a_layout_has_one_profile() -> None:
    rule = MIG_SINGLE_WITH_MIXED_LAYOUT
    wrong = ["Node n1: its layout {} mixes profiles under the strategy single"]
    assert faults(rule, [operator(**SINGLE), node("all-1g.10gb")]) == []
    assert faults(rule, [operator(**MIXED), node("all-balanced")]) == []
    assert faults(rule, [operator(**SINGLE), node("all-balanced")]) == [
        wrong[0].format("all-balanced")
    ]
    own = {"layouts": {"ours": {"1g.10gb": 2, "3g.40gb": 1}, "even": {"1g.10gb": 7}}}
    assert faults(rule, [operator(**SINGLE), node("ours")], own) == [wrong[0].format("ours")]
    assert faults(rule, [operator(**SINGLE), node("even")], own) == []
    policy = manifest("nvidia.com/v1:ClusterPolicy", "p", spec=SINGLE)
    assert faults(rule, [policy, pool("serve", layout="all-balanced")]) == [
        "NodePool serve: its layout all-balanced mixes profiles under the strategy single"
    ]


def plugin(way: str, replicas: int = 4, **sharing: Any) -> str:
    several = [{"name": "nvidia.com/gpu", "replicas": replicas}]
    return yaml.safe_dump({"version": "v1", "sharing": {way: {"resources": several, **sharing}}})


def config_map(content: str, name: str = "shared") -> Any:
    kind = "core/v1:ConfigMap"
    return manifest(kind, "plugin", namespace="gpu-operator", data={name: content})


def chart_with(content: Any, **values: Any) -> Any:
    return operator(devicePlugin={"config": {"data": {"shared": content}}}, **values)


def test_mps_shares_whole_gpus_only() -> None:
    rule = MPS_ON_MIG
    mps, slices = plugin("mps"), plugin("timeSlicing")
    assert faults(rule, [config_map(mps), operator(**SINGLE)]) == []
    assert faults(rule, [config_map(slices), operator(**MIXED)]) == []
    assert faults(rule, [config_map(mps), operator(**MIXED)]) == [
        "ConfigMap gpu-operator/plugin: data.shared shares by MPS under the MIG strategy mixed"
    ]
    assert len(faults(rule, [chart_with(mps, **MIXED)])) == 1
    cut = node("all-1g.10gb", **{"nvidia.com/device-plugin.config": "shared"})
    assert faults(rule, [config_map(mps), cut]) == [
        "Node n1: is cut into all-1g.10gb and shares by MPS (shared)"
    ]
    whole = node("all-disabled", **{"nvidia.com/device-plugin.config": "shared"})
    other = node("all-1g.10gb", **{"nvidia.com/device-plugin.config": "other"})
    assert faults(rule, [config_map(mps), whole, other]) == []


@pytest.mark.parametrize("way", ["timeSlicing", "mps"])
def test_shared_gpus_are_not_called_like_whole_ones(way: str) -> None:
    rule = TIME_SLICES_NAMED_LIKE_GPUS
    called = {"timeSlicing": "time slices", "mps": "MPS shares"}[way]
    assert faults(rule, [config_map(plugin(way, renameByDefault=True))]) == []
    assert faults(rule, [config_map(plugin(way, replicas=1)), config_map("a: [")]) == []
    wrong = f"ConfigMap gpu-operator/plugin: data.shared calls {called} nvidia.com/gpu"
    assert faults(rule, [config_map(plugin(way))]) == [wrong]
    misplaced = f"flags:\n  renameByDefault: true\n{plugin(way)}"
    assert faults(rule, [config_map(misplaced)]) == [
        f"{wrong}, and flags.renameByDefault is ignored"
    ]
    assert faults(rule, [chart_with(yaml.safe_load(plugin(way)))]) == [
        (
            "Release gpu-operator/gpu-operator: values.devicePlugin.config.data.shared calls "
            f"{called} nvidia.com/gpu"
        )
    ]


def test_a_layout_is_in_the_config_map_that_replaces_all_others() -> None:
    rule = MIG_LAYOUT_NOT_IN_CONFIG_MAP
    named = {"migManager": {"config": {"name": "ours"}}}
    content = {"config.yaml": yaml.safe_dump({"mig-configs": {"all-disabled": [], "half": []}})}
    held = manifest("core/v1:ConfigMap", "ours", namespace="gpu-operator", data=content)
    assert faults(rule, [operator(**named), held, node("half")]) == []
    assert faults(rule, [operator(), node("all-1g.10gb")]) == []
    assert faults(rule, [operator(**named), held, node("all-1g.10gb")]) == [
        "Node n1: its layout all-1g.10gb is not in MIG Manager's ConfigMap ours"
    ]
    inline = {"migManager": {"config": {"name": "ours", "data": content}}}
    assert len(faults(rule, [operator(**inline), node("all-1g.10gb")])) == 1
    own = {"layouts": {"half": {"3g.40gb": 2}}}
    assert faults(rule, [operator(**named), node("half")], own) == []
    assert len(faults(rule, [operator(**named), node("third")], own)) == 1
    assert found(rule, operator(**named), node("half")) == [
        (
            "cannot judge layouts against MIG Manager's configuration: the ConfigMap ours is not "
            "in the stack; fix: set gpu-cluster.layouts in the file given with --policy-pack-config"
        )
    ]
