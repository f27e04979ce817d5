"""Rules of the batch scheduler, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, misshapen, places, tenant

CAPACITY: dict[str, Any] = {"kind": "volcano", "volcano": {"share": "capacity"}}
PROPORTION: dict[str, Any] = {"kind": "volcano", "volcano": {"share": "proportion"}}
GPU = "site.tenants[0].quota.train.gpu"


@pytest.mark.parametrize(
    ("scheduler", "found"),
    [
        ({"kind": "kueue", "kueue": {"wait_for_pods": "2h"}}, []),
        ({"kueue": {"wait_for_pods": "2h"}}, []),
        ({"kind": "volcano"}, []),
        ({"kind": "volcano", "kueue": {"wait_for_pods": "30m"}}, []),
        (
            {"kind": "volcano", "kueue": {"retries": 0}},
            [("scheduler-settings-unused", "site.scheduler.kueue")],
        ),
        ({"volcano": {"preempt": True}}, [("scheduler-settings-unused", "site.scheduler.volcano")]),
    ],
)
def test_settings_belong_to_the_scheduler_that_is_chosen(
    scheduler: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert places(judged(scheduler=scheduler)) == found


@pytest.mark.parametrize(
    ("scheduler", "second", "found"),
    [
        (PROPORTION, gpu_pool("serve"), [("share-over-pools", "site.scheduler.volcano.share")]),
        (PROPORTION, gpu_pool("serve", mig="all-3g.40gb"), []),
        (PROPORTION, cpu_pool("serve"), []),
        (CAPACITY, gpu_pool("serve"), []),
        ({"kind": "kueue"}, gpu_pool("serve"), []),
    ],
)
def test_shares_by_weight_go_over_all_pools_with_the_same_gpus(
    scheduler: dict[str, Any], second: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert places(judged(scheduler=scheduler, node_pools=[gpu_pool(), second])) == found


@pytest.mark.parametrize(
    ("gpu", "gang", "found"),
    [
        (8, None, []),
        (8, 8, []),
        (8, 9, [GPU]),
        ({"guarantee": 4, "ceiling": 16}, 4, []),
        ({"guarantee": 4, "ceiling": 16}, 5, [GPU]),
        ({"guarantee": 4, "ceiling": 16}, 17, [GPU]),
        ({"guarantee": 0, "ceiling": 16}, 16, [GPU]),
    ],
)
def test_a_share_is_large_enough_for_the_smallest_gang(
    gpu: object, gang: int | None, found: list[str]
) -> None:
    one = tenant(quota={"train": {"gpu": gpu}}, gang=gang)
    assert places(judged(tenants=[one])) == [("queue-share-below-gang", path) for path in found]


def test_a_gang_that_never_fits_is_told_apart_from_one_that_has_to_borrow() -> None:
    quota = {"train": {"gpu": {"guarantee": 2, "ceiling": 4}}}
    (never,) = judged(tenants=[tenant(quota=quota, gang=8)])
    (waits,) = judged(tenants=[tenant(quota=quota, gang=4)])
    assert "none ever starts here" in never.message
    assert "starts only on what others leave" in waits.message


def test_two_tenants_with_half_of_an_odd_number_each_are_told_that_neither_starts() -> None:
    pool = gpu_pool(nodes="gpu1", gpu={"model": "A100-PCIE-80GB", "count": 3})
    quota = {"train": {"gpu": {"guarantee": 1, "ceiling": 2}}}
    tenants = [tenant(name, quota=quota, gang=2) for name in ("one", "two")]
    found = [one for one in judged(node_pools=[pool], tenants=tenants) if "gang" in one.rule]
    assert len(found) == 2


@pytest.mark.parametrize("time", ["30", "0m", "1d", "-5m", "30 m", ""])
def test_a_time_that_kueue_does_not_take_is_refused(time: str) -> None:
    (fault,) = misshapen(scheduler={"kueue": {"wait_for_pods": time}})
    assert fault.path == "site.scheduler.kueue.wait_for_pods"
