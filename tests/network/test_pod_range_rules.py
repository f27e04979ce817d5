"""Rules of the pods' addresses, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, judged, places

PATH = "site.network.cni.pod_cidr"


def _found(
    pod_cidr: str, kind: str = "cilium", pools: list[dict[str, Any]] | None = None
) -> list[tuple[str, str]]:
    cni = {"kind": kind, "pod_cidr": pod_cidr}
    findings = judged(network={"cni": cni}, node_pools=pools or [cpu_pool()])
    return [one for one in places(findings) if one[1] == PATH]


@pytest.mark.parametrize(
    ("kind", "pod_cidr", "nodes", "told"),
    [
        ("cilium", "10.244.0.0/22", 4, False),
        ("cilium", "10.244.0.0/22", 5, True),
        ("cilium", "10.244.0.0/25", 1, True),
        ("calico", "10.244.0.0/22", 16, False),
        ("calico", "10.244.0.0/22", 17, True),
    ],
)
def test_each_node_takes_a_block_of_the_pods_addresses(
    kind: str, pod_cidr: str, nodes: int, *, told: bool
) -> None:
    pools = [cpu_pool(nodes=f"cpu[1-{nodes}]")]
    expected = [("pod-range-too-small", PATH)] if told else []
    assert _found(pod_cidr, kind, pools) == expected


def test_a_pool_that_scales_counts_with_its_most() -> None:
    pool = {"selector": {"pool": "general"}, "min": 0, "max": 300}
    pools: list[dict[str, Any]] = [{**cpu_pool(), **pool}]
    del pools[0]["nodes"]
    assert _found("10.244.0.0/16", pools=pools) == [("pod-range-too-small", PATH)]


@pytest.mark.parametrize("pod_cidr", ["127.0.0.0/16", "169.254.0.0/16", "240.0.0.0/8", "0.0.0.0/0"])
def test_pods_have_no_addresses_that_mean_something_else(pod_cidr: str) -> None:
    assert ("pod-range-taken", PATH) in _found(pod_cidr)


def test_the_default_range_of_services_is_told_of_and_what_lies_beside_it_is_not() -> None:
    assert _found("10.111.0.0/16") == [("pod-range-of-services", PATH)]
    assert _found("10.112.0.0/16") == []


def test_a_cni_that_the_cluster_brings_is_not_judged_by_a_range_that_says_nothing_to_it() -> None:
    assert _found("127.0.0.0/30", "existing") == [("cni-setting-without-effect", PATH)]
