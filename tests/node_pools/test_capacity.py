"""What a pool offers: whole GPUs, or MIG instances under either strategy."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import (
    devices_in,
    devices_per_node,
    resource_name,
    short_name,
)


def _pool(raw: dict[str, Any]) -> NodePoolArgs:
    return NodePoolArgs.model_validate(raw)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("gpu", "nvidia.com/gpu"),
        ("mig-3g.40gb", "nvidia.com/mig-3g.40gb"),
        ("mig-1g.10gb+me", "nvidia.com/mig-1g.10gb.me"),
        ("mig-1g.24gb+me.all", "nvidia.com/mig-1g.24gb.me.all"),
    ],
)
def test_a_short_name_stands_for_the_device_plugins_resource(short: str, full: str) -> None:
    assert resource_name(short) == full
    assert short_name(full) == short.replace("+", ".")


@pytest.mark.parametrize(
    ("mig", "per_node"),
    [
        (None, {"nvidia.com/gpu": 8}),
        ("all-disabled", {"nvidia.com/gpu": 8}),
        ("all-enabled", {}),
        ("all-3g.40gb", {"nvidia.com/mig-3g.40gb": 16}),
        ("all-1g.10gb.me", {"nvidia.com/mig-1g.10gb.me": 8}),
        (
            "all-balanced",
            {
                "nvidia.com/mig-1g.10gb": 16,
                "nvidia.com/mig-2g.20gb": 8,
                "nvidia.com/mig-3g.40gb": 8,
            },
        ),
        ({"layout": "all-1g.10gb", "strategy": "single"}, {"nvidia.com/gpu": 56}),
        ({"layout": "all-enabled", "strategy": "single"}, {}),
        ({"layout": "all-disabled", "strategy": "single"}, {"nvidia.com/gpu": 8}),
        ("all-of-it", {}),
    ],
)
def test_a_node_of_eight_h100_offers(mig: object, per_node: dict[str, int]) -> None:
    assert devices_per_node(_pool(gpu_pool(mig=mig))) == per_node


def test_a_cpu_pool_offers_no_devices() -> None:
    assert devices_in(_pool(cpu_pool())) == {}


def test_a_pool_of_an_unknown_gpu_with_mig_offers_nothing_that_could_be_promised() -> None:
    pool = _pool(gpu_pool(gpu={"model": "H101"}, mig="all-3g.40gb"))
    assert devices_in(pool) == {}


def test_a_pool_that_scales_is_counted_with_its_fewest_nodes() -> None:
    raw = gpu_pool(selector={"pool": "train"}, min=2, max=10)
    del raw["nodes"]
    pool = _pool(raw)
    assert devices_in(pool) == {"nvidia.com/gpu": 16}
    assert pool.largest == 10
