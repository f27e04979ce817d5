"""How nodes are cut: by name, by entry, by number of GPU; and what follows from that."""

from __future__ import annotations

from typing import Any

from made_site import gpu_pool

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import (
    devices_in,
    devices_of,
    devices_per_node,
    mean_devices,
)
from pulumi_gpu_cluster.node_pools.cuts import cut_by_node, parts_of

_TWO = {
    "layouts": [
        {
            "nodes": "train[01-02]",
            "devices": {"0-3": {"3g.40gb": 2}, "4-5": {"1g.10gb": 7}},
        },
        {"nodes": "train03", "layout": "all-1g.10gb"},
    ],
    "layout": "all-disabled",
}


def _pool(**changes: Any) -> NodePoolArgs:
    return NodePoolArgs.model_validate(gpu_pool("train", **changes))


def test_nodes_of_one_pool_offer_what_each_of_them_is_cut_into() -> None:
    pool = _pool(mig=_TWO)
    offered = {name: dict(devices_of(pool, cut)) for name, cut in cut_by_node(pool).items()}
    own = {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-1g.10gb": 14, "nvidia.com/gpu": 2}
    assert offered == {
        "train01": own,
        "train02": own,
        "train03": {"nvidia.com/mig-1g.10gb": 56},
        "train04": {"nvidia.com/gpu": 8},
    }
    assert devices_in(pool) == {
        "nvidia.com/mig-3g.40gb": 16,
        "nvidia.com/mig-1g.10gb": 84,
        "nvidia.com/gpu": 12,
    }
    assert devices_per_node(pool)["nvidia.com/mig-1g.10gb"] == 56
    assert mean_devices(pool)["nvidia.com/mig-1g.10gb"] == 21


def test_a_layout_of_ones_own_is_named_by_what_it_holds() -> None:
    def name(devices: object, count: int = 8) -> str:
        mig = {"layouts": [{"devices": devices}]}
        (part,) = parts_of(_pool(mig=mig, gpu={"model": "H100-SXM5-80GB", "count": count}))
        return part.cut.layout

    usual = name({"0-1": {"3g.40gb": 2}})
    assert usual.startswith("custom-")
    assert name({"1": {"3g.40gb": 2}, "0": {"3g.40gb": 2}}) == usual
    assert name({"0-1": {"3g.40gb": 1}}) != usual
    assert name({"0-1": {"3g.40gb": 2}}, count=4) != usual


def test_gpus_that_are_cut_alike_stand_together_and_whole_ones_are_said_to_be_whole() -> None:
    pool = _pool(mig={"layouts": [{"devices": {"0,2": {"3g.40gb": 2}, "1": {"1g.10gb": 7}}}]})
    (part,) = parts_of(pool)
    assert part.cut.parted() == [
        {"devices": [0, 2], "mig-enabled": True, "mig-devices": {"3g.40gb": 2}},
        {"devices": [1], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
        {"devices": [3, 4, 5, 6, 7], "mig-enabled": False, "mig-devices": {}},
    ]


def test_a_pool_without_mig_is_told_nothing() -> None:
    (part,) = parts_of(_pool())
    assert part.cut.layout == ""
    assert not part.cut.is_cut
    (told,) = parts_of(_pool(mig="all-disabled"))
    assert told.cut.layout == "all-disabled"
