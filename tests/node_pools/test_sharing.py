"""Shared GPUs: what nodes offer then, and what the device plugin is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from made_site import gpu_pool, made_site, tenant

from pulumi_gpu_cluster.kubernetes_names import is_label_value
from pulumi_gpu_cluster.node_pools.capacity import devices_in, devices_per_node
from pulumi_gpu_cluster.node_pools.plugin_config import (
    cluster_strategy,
    plugin_config,
    plugin_configs,
    unshared_config,
)
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.shares import ceilings, pool_shares

SLICED = {"kind": "time-slicing", "replicas": 4}


def _site(*pools: dict[str, Any], **changes: object) -> Site:
    return made_site(node_pools=list(pools), **changes)


@pytest.mark.parametrize(
    ("changes", "per_node"),
    [
        ({}, {"nvidia.com/gpu.shared": 32}),
        ({"mig": "all-3g.40gb"}, {"nvidia.com/mig-3g.40gb.shared": 64}),
        (
            {"mig": {"layout": "all-3g.40gb", "strategy": "single"}},
            {"nvidia.com/gpu.shared": 64},
        ),
        (
            {"mig": {"layouts": [{"devices": {"0": {"3g.40gb": 2}}}]}},
            {"nvidia.com/mig-3g.40gb.shared": 8, "nvidia.com/gpu.shared": 28},
        ),
    ],
)
def test_each_device_is_offered_as_often_as_it_is_shared_under_another_name(
    changes: dict[str, Any], per_node: dict[str, int]
) -> None:
    (pool,) = _site(gpu_pool(sharing=SLICED, **changes)).node_pools
    assert devices_per_node(pool) == per_node
    assert devices_in(pool) == {name: count * 4 for name, count in per_node.items()}


@pytest.mark.parametrize(("kind", "key"), [("time-slicing", "timeSlicing"), ("mps", "mps")])
def test_shares_are_renamed_and_handed_out_one_by_one_where_the_plugin_looks_for_it(
    kind: str, key: str
) -> None:
    site = _site(gpu_pool(sharing={"kind": kind, "replicas": 4}))
    config = plugin_config(site.node_pools[0], site.node_pools)
    assert config is not None
    assert config.name == f"{kind}-4"
    assert json.loads(config.text()) == {
        "version": "v1",
        "flags": {"migStrategy": "none"},
        "sharing": {
            key: {
                "renameByDefault": True,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
            }
        },
    }


def test_a_configuration_says_by_its_name_what_it_holds() -> None:
    sharings = [SLICED, {"kind": "mps", "replicas": 4}, {"kind": "time-slicing", "replicas": 8}]
    pools = [gpu_pool(f"p{number}", sharing=one) for number, one in enumerate(sharings)]
    cut = [
        gpu_pool("a", mig="all-3g.40gb", sharing=SLICED),
        gpu_pool("b", mig="all-1g.10gb", sharing=SLICED),
        gpu_pool("c", gpu={"model": "A30-PCIE-24GB"}, mig="all-1g.6gb", sharing=SLICED),
    ]
    site = _site(*pools, *cut)
    names = [plugin_config(pool, site.node_pools) for pool in site.node_pools]
    told = [config.name for config in names if config is not None]
    assert told[:3] == ["time-slicing-4", "mps-4", "time-slicing-8"]
    assert told[3] == told[4] != told[5], "another layout of one board is no other configuration"
    assert set(told) <= set(plugin_configs(site.node_pools))
    assert all(is_label_value(name) for name in plugin_configs(site.node_pools))


def test_nothing_is_said_where_all_share_nothing_and_agree() -> None:
    site = _site(gpu_pool("a", mig="all-3g.40gb"), gpu_pool("b"))
    assert cluster_strategy(site.node_pools) == "mixed"
    assert plugin_configs(site.node_pools) == {}


def test_strategies_that_differ_are_told_node_by_node_and_not_to_all() -> None:
    single = gpu_pool("a", mig={"layout": "all-3g.40gb", "strategy": "single"})
    site = _site(single, gpu_pool("b", mig="all-3g.40gb"), gpu_pool("c"))
    assert cluster_strategy(site.node_pools) is None
    configs = [plugin_config(pool, site.node_pools) for pool in site.node_pools]
    assert [one.name if one else None for one in configs] == ["mig-single", "mig-mixed", None]


def test_beside_mps_no_strategy_is_told_to_all_for_mixed_would_stop_it() -> None:
    mps = gpu_pool("a", sharing={"kind": "mps", "replicas": 4})
    site = _site(mps, gpu_pool("b", mig="all-3g.40gb", sharing=SLICED))
    assert cluster_strategy(site.node_pools) is None
    before = [unshared_config(pool, site.node_pools) for pool in site.node_pools]
    assert [one.name if one else None for one in before] == [None, "mig-mixed"]


def test_a_tenant_of_a_shared_and_a_whole_pool_has_both_under_their_own_names() -> None:
    quota = {"lab": {"gpu.shared": 8}, "train": {"gpu": 8}}
    site = _site(gpu_pool("lab", sharing=SLICED), gpu_pool("train"), tenants=[tenant(quota=quota)])
    hard = ceilings(site, site.tenants[0])
    assert hard["requests.nvidia.com/gpu.shared"] == "8"
    assert hard["requests.nvidia.com/gpu"] == "8"


def test_cpu_and_memory_follow_shares_as_they_follow_gpus() -> None:
    quota = {"lab": {"gpu.shared": 16}}
    site = _site(gpu_pool("lab", sharing=SLICED), tenants=[tenant(quota=quota)])
    held = pool_shares(site.tenants[0], site.node_pools)["lab"]
    assert held["cpu"].guarantee == 96, "half a node's, for half of its shares"
