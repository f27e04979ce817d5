"""Rules of pools: selectors that meet, nodes named twice, labels of others."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, misshapen, places


def _selected(name: str, selector: dict[str, str], **changes: object) -> dict[str, Any]:
    pool = cpu_pool(name, selector=selector, count=2, **changes)
    del pool["nodes"]
    return pool


OVERLAP = ("selectors-overlap", "site.node_pools[1].selector")


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"tier": "a"}, {"tier": "b"}, []),
        ({"tier": "a"}, {"tier": "a"}, [OVERLAP]),
        ({"tier": "a"}, {"tier": "a", "zone": "1"}, [OVERLAP]),
        ({"tier": "a"}, {"zone": "1"}, [OVERLAP]),
        ({"tier": "a", "zone": "1"}, {"tier": "a", "zone": "2"}, []),
        ({"tier": "a", "zone": "1"}, {"zone": "1", "disk": "x"}, [OVERLAP]),
    ],
)
def test_two_selectors_overlap_unless_one_key_tells_them_apart(
    one: dict[str, str], other: dict[str, str], found: list[tuple[str, str]]
) -> None:
    assert places(judged(node_pools=[_selected("one", one), _selected("other", other)])) == found


def test_many_selectors_told_apart_by_different_keys_are_each_compared() -> None:
    pools = [
        _selected("a", {"tier": "a", "zone": "1"}),
        _selected("b", {"tier": "a", "zone": "2"}),
        _selected("c", {"tier": "b", "zone": "1"}),
        _selected("d", {"tier": "b"}),
        _selected("e", {"tier": "c", "zone": "1"}),
    ]
    assert places(judged(node_pools=pools)) == [
        ("selectors-overlap", "site.node_pools[3].selector")
    ]


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({"tier": "a"}, [OVERLAP]),
        ({"tier": "a", "zone": "1"}, [OVERLAP]),
        ({"tier": "b"}, []),
        ({"zone": "1"}, []),
        ({}, []),
    ],
)
def test_a_selector_must_not_find_nodes_that_we_label_for_another_pool(
    labels: dict[str, str], found: list[tuple[str, str]]
) -> None:
    pools = [cpu_pool(labels=labels), _selected("other", {"tier": "a"})]
    assert places(judged(node_pools=pools)) == found


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ({"kubernetes.io/os": "linux"}, [OVERLAP]),
        ({"kubernetes.io/os": "windows"}, []),
        ({"kubernetes.io/hostname": "train02"}, [OVERLAP]),
        ({"kubernetes.io/hostname": "train02", "kubernetes.io/os": "linux"}, [OVERLAP]),
        ({"kubernetes.io/os": "linux", "kubernetes.io/hostname": "train02"}, [OVERLAP]),
        ({"kubernetes.io/hostname": "train02", "tier": "a"}, []),
        ({"kubernetes.io/hostname": "other"}, []),
        ({"feature.node.kubernetes.io/pci-10de.present": "true"}, [OVERLAP]),
    ],
)
def test_a_selector_must_not_find_named_nodes_by_what_they_say_of_themselves(
    selector: dict[str, str], found: list[tuple[str, str]]
) -> None:
    pools = [gpu_pool(), _selected("other", selector)]
    assert places(judged(node_pools=pools)) == found


def test_nodes_of_two_pools_are_named_and_only_once_each() -> None:
    pools = [
        cpu_pool("a", nodes="n[1-4]"),
        cpu_pool("b", nodes="n[4-6]"),
        cpu_pool("c", nodes="n7"),
    ]
    (finding,) = judged(node_pools=pools)
    assert (finding.rule, finding.path) == ("node-in-two-pools", "site.node_pools[1].nodes")
    assert finding.message == "n4 of pool b stand in pool a too"


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ({"count": 3}, []),
        ({"min": 0, "max": 3}, []),
        ({"min": 3, "max": 3}, []),
        ({"min": 1}, [("pool-count", "site.node_pools[0]")]),
        ({"max": 1}, [("pool-count", "site.node_pools[0]")]),
        ({}, [("pool-count", "site.node_pools[0]")]),
        ({"count": 3, "max": 5}, [("pool-count", "site.node_pools[0].count")]),
        ({"min": 4, "max": 3}, [("pool-count", "site.node_pools[0].min")]),
    ],
)
def test_a_selector_says_how_many_nodes_there_are(
    sizes: dict[str, int], found: list[tuple[str, str]]
) -> None:
    pool = {**_selected("a", {"tier": "a"}), "count": None, **sizes}
    assert places(judged(node_pools=[pool])) == found


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({"example.org/tier": "gold", "plain": "", "a.b": "A_1"}, []),
        ({"nvidia.com/device-plugin.config": "shared"}, ["label-reserved"]),
        ({"x" * 63: "y" * 63}, []),
        ({"x" * 64: "y"}, ["label-malformed"]),
        ({"x": "y" * 64}, ["label-malformed"]),
        ({"/x": "y"}, ["label-malformed"]),
        ({"Upper.Case/x": "y"}, ["label-malformed"]),
        ({"x": "trailing-"}, ["label-malformed"]),
        ({"gpu-cluster.io/pool": "a"}, ["label-reserved"]),
        ({"nvidia.com/gpu.deploy.driver": "false"}, ["label-reserved"]),
        ({"nvidia.com/gpu-operator.driver.owner": "me"}, ["label-reserved"]),
        ({"nvidia.com/gpu.workload.config": "vm-passthrough"}, ["label-reserved"]),
        ({"feature.node.kubernetes.io/pci-10de.present": "true"}, ["label-reserved"]),
        ({"kubernetes.io/hostname": "me"}, ["label-reserved"]),
        ({"node-role.kubernetes.io/worker": ""}, []),
        ({"topology.kubernetes.io/zone": "row-1"}, []),
    ],
)
def test_labels_of_a_pool(labels: dict[str, str], found: list[str]) -> None:
    findings = judged(node_pools=[cpu_pool(labels=labels)])
    assert [finding.rule for finding in findings] == found


@pytest.mark.parametrize("key", ["node.kubernetes.io/not-ready", "gpu-cluster.io/mine"])
def test_a_taint_that_others_set_and_remove_is_not_the_sites(key: str) -> None:
    assert places(judged(node_pools=[cpu_pool(taints=[{"key": key}])])) == [
        ("label-reserved", "site.node_pools[0].taints[0].key")
    ]


@pytest.mark.parametrize("memory", [0, 1800, "1800", "64m", "255Mi"])
def test_memory_of_a_node_without_its_unit_is_no_memory(memory: object) -> None:
    (finding,) = misshapen(node_pools=[cpu_pool(memory=memory)])
    assert (finding.rule, finding.path) == ("malformed", "site.node_pools[0].memory")


def test_the_same_taint_with_another_effect_is_another_taint() -> None:
    taints = [{"key": "gpu"}, {"key": "gpu", "effect": "NoExecute"}]
    assert judged(node_pools=[cpu_pool(taints=taints)]) == ()
