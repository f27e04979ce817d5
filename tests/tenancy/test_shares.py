"""What tenants have: guarantees, ceilings, and the cpu and memory that follow from GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_site import cpu_pool, gpu_pool, made_site, tenant

from pulumi_gpu_cluster.tenancy.balance import balances
from pulumi_gpu_cluster.tenancy.shares import Share, ceilings, offered, pool_amount, shares

GI = 2**30


def _share(pool: dict[str, Any], quota: dict[str, Any]) -> Mapping[str, Share]:
    site = made_site(node_pools=[pool], tenants=[tenant(quota={pool["name"]: quota})])
    return shares(site)["ml-team"][pool["name"]]


def test_cpu_and_memory_follow_the_tenants_part_of_the_gpus() -> None:
    assert _share(gpu_pool(), {"gpu": {"guarantee": 16, "ceiling": 24}}) == {
        "nvidia.com/gpu": Share(Fraction(16), Fraction(24)),
        "cpu": Share(Fraction(384), Fraction(576)),
        "memory": Share(Fraction(3600 * GI), Fraction(5400 * GI)),
    }


def test_in_slurm_a_tenant_has_the_cpu_and_memory_of_its_gpus_and_not_all_there_are() -> None:
    share = _share(gpu_pool(workload="slurm"), {"gpu": {"guarantee": 4, "ceiling": 16}})
    assert share["cpu"] == Share(Fraction(96), Fraction(384))
    # A node has 1800Gi, of which jobs have 1710.
    assert share["memory"] == Share(Fraction(855 * GI), Fraction(3420 * GI))


def test_what_is_stated_counts_and_the_rest_still_follows_the_gpus() -> None:
    share = _share(gpu_pool(), {"gpu": 8, "cpu": {"guarantee": 10, "ceiling": "20500m"}})
    assert share["cpu"] == Share(Fraction(10), Fraction(41, 2))
    assert share["memory"] == Share(Fraction(1800 * GI), Fraction(1800 * GI))


def test_large_mig_instances_bring_more_cpu_than_small_ones() -> None:
    pool = gpu_pool(nodes="one", mig="all-balanced")  # 16 x 1g, 8 x 2g, 8 x 3g: 56 slices
    assert _share(pool, {"mig-3g.40gb": 8})["cpu"] == Share(Fraction(82), Fraction(82))
    assert _share(pool, {"mig-1g.10gb": 8})["cpu"] == Share(Fraction(27), Fraction(27))


def test_on_a_cpu_pool_cpu_decides_memory_and_memory_decides_cpu() -> None:
    assert _share(cpu_pool(), {"cpu": 32})["memory"] == Share(
        Fraction(128 * GI), Fraction(128 * GI)
    )
    assert _share(cpu_pool(), {"memory": "64Gi"})["cpu"] == Share(Fraction(16), Fraction(16))


def test_a_part_of_a_small_pool_is_rounded_to_thousandths_and_not_to_nothing() -> None:
    small = gpu_pool(cpus=4, memory="6Gi", nodes="one")
    share = _share(small, {"gpu": 1})
    assert share["cpu"] == Share(Fraction(1, 2), Fraction(1, 2))
    assert share["memory"] == Share(Fraction(768 * 2**20), Fraction(768 * 2**20))


def test_a_pool_that_scales_from_nothing_still_gives_ceilings_of_cpu() -> None:
    scaling = gpu_pool(selector={"pool": "train"}, min=0, max=4)
    del scaling["nodes"]
    share = _share(scaling, {"gpu": {"guarantee": 0, "ceiling": 8}})
    assert share["cpu"] == Share(Fraction(0), Fraction(192))


def test_a_removed_tenant_has_nothing_and_a_leaving_one_keeps_its_share() -> None:
    site = made_site(
        tenants=[tenant("gone", state="removed", confirm="gone"), tenant("going", state="leaving")]
    )
    assert shares(site)["gone"] == {}
    assert shares(site)["going"]["train"]["nvidia.com/gpu"].guarantee == 8


def test_a_quota_limits_every_device_of_the_site_also_those_the_tenant_has_none_of() -> None:
    site = made_site(
        node_pools=[
            gpu_pool(),
            gpu_pool("slices", mig="all-balanced"),
            gpu_pool("more", gpu={"model": "H200-SXM-141GB"}),
            cpu_pool(),
        ],
        tenants=[
            tenant(
                quota={
                    "train": {"gpu": {"guarantee": 4, "ceiling": 8}},
                    "more": {"gpu": 3},
                    "slices": {"mig-3g.40gb": 2, "cpu": 1, "memory": "1Gi"},
                    "general": {"cpu": "500m", "memory": "1536Mi"},
                    "pods": 50,
                }
            )
        ],
    )
    assert dict(ceilings(site, site.tenants[0])) == {
        "requests.cpu": "265500m",
        "requests.memory": "2536960Mi",
        "limits.memory": "2536960Mi",
        "requests.nvidia.com/gpu": "11",
        "requests.nvidia.com/mig-1g.10gb": "0",
        "requests.nvidia.com/mig-2g.20gb": "0",
        "requests.nvidia.com/mig-3g.40gb": "2",
        "pods": "50",
        "requests.storage": "0",
        "persistentvolumeclaims": "0",
    }


def test_a_ceiling_over_all_pools_replaces_the_sum() -> None:
    site = made_site(tenants=[tenant(quota={"train": {"gpu": 8}, "cpu": 100, "memory": "1Ti"})])
    limits = ceilings(site, site.tenants[0])
    assert (limits["requests.cpu"], limits["requests.memory"]) == ("100", "1Ti")
    assert limits["limits.memory"] == "1Ti"


def test_no_limit_stands_under_a_key_that_the_api_server_never_counts() -> None:
    site = made_site(tenants=[tenant()])
    limits = ceilings(site, site.tenants[0])
    assert not [key for key in limits if key.startswith(("nvidia.com/", "limits.nvidia.com/"))]


@pytest.mark.parametrize("state", ["active", "leaving"])
def test_the_balance_of_a_pool_is_total_less_guarantees(state: str) -> None:
    site = made_site(
        node_pools=[gpu_pool()],
        tenants=[tenant(state=state), tenant("vision", {"train": {"gpu": 4}})],
    )
    gpu = balances(site)[0]
    assert (gpu.pool, gpu.resource) == ("train", "nvidia.com/gpu")
    assert [int(amount) for amount in (gpu.total, gpu.promised, gpu.free)] == [32, 12, 20]


@st.composite
def _splits(draw: st.DrawFn) -> dict[str, Any]:
    """A pool with a layout, and tenants who split its devices without promising too much."""
    own = {"nodes": "n1", "devices": {"0-2": {"3g.40gb": 1, "1g.10gb": 3}, "5": {"7g.80gb": 1}}}
    layouts: list[Any] = ["all-disabled", "all-balanced", "all-3g.40gb", "all-1g.10gb"]
    layouts += [{"layouts": [own], "layout": layout} for layout in layouts[:3]]
    shared = {"kind": "time-slicing", "replicas": draw(st.integers(2, 9))}
    pool = gpu_pool(
        mig=draw(st.sampled_from(layouts)),
        sharing=draw(st.sampled_from([None, shared])),
        cpus=draw(st.integers(1, 257)),
        memory=f"{draw(st.integers(1, 4000))}Gi",
        nodes=f"n[1-{draw(st.integers(1, 9))}]",
    )
    site = made_site(node_pools=[pool])
    left = {
        resource: int(pool_amount(site.node_pools[0], resource))
        for resource in offered(site.node_pools)
    }
    tenants: list[Any] = []
    for number in range(draw(st.integers(1, 6))):
        quota: dict[str, int] = {}
        for resource, most in left.items():
            count = draw(st.integers(0, most))
            left[resource] = most - count
            quota[resource.removeprefix("nvidia.com/")] = count
        tenants.append(tenant(f"team-{number}", {"train": quota}))
    return {"node_pools": [pool], "tenants": tenants}


@given(_splits())
def test_cpu_and_memory_that_follow_the_gpus_never_add_up_to_more_than_the_pool(
    changes: dict[str, Any],
) -> None:
    for balance in balances(made_site(**changes)):
        assert balance.free >= 0, f"{balance.resource} is promised twice"


@pytest.mark.parametrize(
    "changes",
    [
        {"mig": {"layouts": [{"devices": {"0": {"9g.99gb": 1}}}]}},
        {"gpu": {"model": "X900"}, "mig": {"layouts": [{"devices": {"0": {"3g.40gb": 1}}}]}},
    ],
)
def test_a_quota_beside_instances_of_an_unknown_profile_is_judged_and_breaks_nothing(
    changes: dict[str, Any],
) -> None:
    (resource,) = (f"mig-{name}" for name in changes["mig"]["layouts"][0]["devices"]["0"])
    share = _share(gpu_pool(**changes), {resource: 1})
    assert share[f"nvidia.com/{resource}"] == Share(Fraction(1), Fraction(1))
