"""MIG Manager's configuration, where layouts of one's own need one."""

from __future__ import annotations

import json
from typing import Any

from made_site import gpu_pool, made_site

from pulumi_gpu_cluster.gpu_operator.mig_parted import (
    mig_parted_config,
    mig_parted_name,
    named_layouts,
)

_OWN = {"layouts": [{"devices": {"0-6": {"3g.40gb": 2}, "7": {"1g.10gb": 7}}}]}


def _config(*pools: dict[str, Any]) -> dict[str, Any] | None:
    text = mig_parted_config(made_site(node_pools=list(pools)).node_pools)
    return None if text is None else json.loads(text)


def test_named_layouts_alone_need_none() -> None:
    assert _config(gpu_pool("a", mig="all-3g.40gb"), gpu_pool("b")) is None


def test_it_holds_what_mig_manager_would_have_made_and_the_layout_of_ones_own() -> None:
    config = _config(gpu_pool("a", mig=_OWN))
    assert config is not None
    assert config["version"] == "v1"
    layouts = config["mig-configs"]
    assert layouts["all-disabled"] == [{"devices": "all", "mig-enabled": False, "mig-devices": {}}]
    assert layouts["all-enabled"] == [{"devices": "all", "mig-enabled": True, "mig-devices": {}}]
    assert layouts["all-3g.40gb"] == [
        {"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 2}}
    ]
    assert layouts["all-1g.10gb.me"][0]["mig-devices"] == {"1g.10gb+me": 1}
    (own,) = (entries for name, entries in layouts.items() if name.startswith("custom-"))
    assert own == [
        {"devices": [0, 1, 2, 3, 4, 5, 6], "mig-enabled": True, "mig-devices": {"3g.40gb": 2}},
        {"devices": [7], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
    ]


def test_a_name_that_means_two_things_on_two_boards_is_filtered_by_their_devices() -> None:
    small = gpu_pool("small", gpu={"model": "A100-SXM4-40GB"})
    site = made_site(node_pools=[gpu_pool("a", mig=_OWN), small])
    layouts = named_layouts(site.node_pools)
    assert [
        (one["mig-devices"], "0x20B010DE" in one["device-filter"]) for one in layouts["all-1g.10gb"]
    ] == [
        ({"1g.10gb": 7}, False),
        ({"1g.10gb": 4}, True),
    ]
    assert "device-filter" not in layouts["all-3g.20gb"][0]


def test_its_name_changes_with_what_it_holds_and_with_nothing_else() -> None:
    first = mig_parted_config(made_site(node_pools=[gpu_pool("a", mig=_OWN)]).node_pools)
    same = mig_parted_config(
        made_site(node_pools=[gpu_pool("b", mig=_OWN, nodes="b[1-9]")]).node_pools
    )
    other = {"layouts": [{"devices": {"0": {"3g.40gb": 2}}}]}
    third = mig_parted_config(made_site(node_pools=[gpu_pool("a", mig=other)]).node_pools)
    assert first is not None
    assert third is not None
    assert first == same
    assert mig_parted_name(first) != mig_parted_name(third)
