"""Rules of quotas, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, misshapen, places, tenant

OVER = "quota-over-capacity"


def _gpu(*guarantees: int) -> list[Any]:
    return [
        tenant(f"team-{index}", {"train": {"gpu": count}}) for index, count in enumerate(guarantees)
    ]


def test_a_pool_may_be_promised_to_the_last_gpu() -> None:
    assert judged(tenants=_gpu(16, 8, 8)) == ()


def test_a_quota_over_capacity_names_every_tenant_that_takes_part() -> None:
    (finding,) = judged(tenants=_gpu(16, 8, 9, 1))
    assert (finding.rule, finding.path) == (OVER, "site.tenants[2].quota.train.gpu")
    assert finding.message == (
        "guarantees of gpu in pool train add up to 34: team-0 (16), team-1 (8), team-2 (9) and "
        "team-3 (1); the pool has 32 on 4 nodes"
    )
    assert finding.fix == "lower guarantees by 2, and let ceilings do the rest"


def test_ceilings_may_overlap_and_guarantees_may_not() -> None:
    overlapping = [
        tenant(f"team-{index}", {"train": {"gpu": {"guarantee": 16, "ceiling": 32}}})
        for index in range(2)
    ]
    assert judged(tenants=overlapping) == ()


def test_pools_that_share_a_resource_name_are_proven_one_by_one() -> None:
    pools = [gpu_pool("a", nodes="a1"), gpu_pool("b", nodes="b[1-9]")]
    found = judged(node_pools=pools, tenants=[tenant(quota={"a": {"gpu": 9}, "b": {"gpu": 1}})])
    assert places(found) == [(OVER, "site.tenants[0].quota.a.gpu")]


def test_mig_instances_are_counted_as_the_layout_makes_them() -> None:
    pool = gpu_pool("slices", nodes="n1", mig="all-3g.40gb")
    for count, found in ((16, []), (17, [(OVER, "site.tenants[0].quota.slices.mig-3g.40gb")])):
        quota = {"slices": {"mig-3g.40gb": count}}
        assert places(judged(node_pools=[pool], tenants=[tenant(quota=quota)])) == found


def test_a_pool_that_scales_can_promise_its_fewest_nodes_and_lend_up_to_its_most() -> None:
    pool = gpu_pool(selector={"pool": "train"}, min=2, max=4)
    del pool["nodes"]
    for share, found in (
        ({"guarantee": 16, "ceiling": 32}, []),
        ({"guarantee": 17, "ceiling": 32}, [OVER]),
        ({"guarantee": 16, "ceiling": 33}, ["quota-ceiling-over-capacity"]),
    ):
        findings = judged(node_pools=[pool], tenants=[tenant(quota={"train": {"gpu": share}})])
        assert [finding.rule for finding in findings] == found


def test_cpu_that_is_stated_beside_cpu_that_follows_is_proven_with_it() -> None:
    tenants = [tenant(quota={"train": {"gpu": 16}}), tenant("b", {"train": {"cpu": 385}})]
    assert places(judged(tenants=tenants)) == [(OVER, "site.tenants[1].quota.train.cpu")]
    tenants[1] = tenant("b", {"train": {"cpu": 384}})
    assert judged(tenants=tenants) == ()


def test_too_many_gpus_are_told_once_and_not_again_as_cpu_and_memory() -> None:
    assert places(judged(tenants=_gpu(33))) == [(OVER, "site.tenants[0].quota.train.gpu")]


def test_a_tenant_that_is_removed_takes_no_part_and_one_that_leaves_does() -> None:
    removed = [*_gpu(32), tenant("old", {"train": {"gpu": 8}}, state="removed", confirm="old")]
    assert judged(tenants=removed) == ()
    leaving = [*_gpu(32), tenant("old", {"train": {"gpu": 8}}, state="leaving")]
    assert places(judged(tenants=leaving)) == [(OVER, "site.tenants[1].quota.train.gpu")]


@pytest.mark.parametrize(
    ("pool", "resource", "way_out"),
    [
        (gpu_pool(), "mig-3g.40gb", "write gpu"),
        (gpu_pool(mig="all-3g.40gb"), "gpu", "write mig-3g.40gb"),
        (gpu_pool(mig="all-3g.40gb"), "mig-3g.20gb", "did you mean mig-3g.40gb?"),
        (gpu_pool(mig="all-enabled"), "gpu", None),
        (gpu_pool(), "nvidia.com/gpu", "write gpu: the prefix is understood"),
        (gpu_pool(), "limits.nvidia.com/gpu", "write gpu: the prefix is understood"),
        (gpu_pool(), "memroy", "did you mean memory?"),
        (cpu_pool("train"), "gpu", "remove it: pool train has no GPUs"),
    ],
)
def test_a_resource_that_the_pool_does_not_offer(
    pool: dict[str, Any], resource: str, way_out: str | None
) -> None:
    found = judged(node_pools=[pool], tenants=[tenant(quota={"train": {resource: 1}})])
    told = [finding for finding in found if finding.rule == "quota-unknown-resource"]
    if way_out is None:
        assert [finding.rule for finding in found] == ["mig-no-instances"]
        return
    (finding,) = told
    assert finding.path == f"site.tenants[0].quota.train.{resource}"
    assert finding.fix == way_out


def test_a_plus_in_a_profile_is_understood_as_the_dot_it_becomes() -> None:
    pool = gpu_pool(mig="all-1g.10gb.me")
    for name in ("mig-1g.10gb.me", "mig-1g.10gb+me"):
        assert judged(node_pools=[pool], tenants=[tenant(quota={"train": {name: 8}})]) == ()


@pytest.mark.parametrize(
    ("memory", "found"),
    [
        ("1800Gi", []),
        ("1799Gi", [("quota-ceiling-below-guarantees", "site.tenants[0].quota.memory")]),
    ],
)
def test_a_ceiling_over_all_pools_leaves_room_for_every_guarantee(
    memory: str, found: list[tuple[str, str]]
) -> None:
    assert places(judged(tenants=[tenant(quota={"train": {"gpu": 8}, "memory": memory})])) == found


@pytest.mark.parametrize(
    ("quota", "path"),
    [
        ({"general": {"cpu": 8, "memory": 64}}, "general.memory"),
        ({"general": {"cpu": 8, "memory": {"guarantee": "1Gi", "ceiling": "2"}}}, "general.memory"),
        ({"general": {"cpu": {"guarantee": 0, "ceiling": 8}}, "memory": "64m"}, "memory"),
    ],
)
def test_memory_without_its_unit_is_told(quota: dict[str, Any], path: str) -> None:
    found = [
        finding.path
        for finding in judged(tenants=[tenant(quota=quota)])
        if finding.rule == "quota-memory-without-unit"
    ]
    assert found == [f"site.tenants[0].quota.{path}"]


def test_a_pool_without_anything_below_it_is_told_as_empty() -> None:
    (finding,) = misshapen(tenants=[tenant(quota={"train": None})])
    assert (finding.rule, finding.path) == ("wrong-type", "site.tenants[0].quota.train")
    assert finding.message == "nothing is not a mapping"


def test_a_quota_on_a_pool_with_an_unknown_gpu_is_no_second_fault() -> None:
    pool = gpu_pool(gpu={"model": "H101"}, mig="all-3g.40gb")
    found = judged(node_pools=[pool], tenants=[tenant(quota={"train": {"mig-3g.40gb": 4}})])
    assert [finding.rule for finding in found] == ["gpu-unknown-model"]


def test_two_tenants_of_one_name_do_not_hide_what_else_is_wrong_with_their_quotas() -> None:
    tenants = [
        tenant("twin", {"train": {"gpu": 33}}),
        tenant("twin", {"general": {"cpu": 1}}, group="other"),
    ]
    assert places(judged(tenants=tenants)) == [
        ("name-taken", "site.tenants[1].name"),
        (OVER, "site.tenants[0].quota.train.gpu"),
    ]


def test_all_of_a_hundred_tenants_that_promise_too_much_are_named() -> None:
    (finding,) = judged(tenants=_gpu(*[1] * 100))
    assert all(f"team-{index} (1)" in finding.message for index in range(100))
    assert finding.path == "site.tenants[32].quota.train.gpu"
