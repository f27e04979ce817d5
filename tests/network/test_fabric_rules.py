"""Rules of fabrics, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, misshapen, places, tenant

FABRIC = "site.node_pools[0].fabric"
ROCE: dict[str, Any] = {
    "link": "roce-400",
    "interfaces": ["ens1f0np0"],
    "addresses": "192.168.64.0/24",
}


def _found(fabric: object, **pool: Any) -> list[tuple[str, str]]:
    return places(judged(node_pools=[gpu_pool(fabric=fabric, **pool)]))


HOSTS_DRIVER = {"source": "host", "fabric_manager": "580.173.02", "version": "580.173.02"}


@pytest.mark.parametrize("fabric", ["ndr400", "hdr200", {"link": "xdr800"}, ROCE])
def test_a_fabric_of_the_catalogue_holds(fabric: object) -> None:
    assert _found(fabric) == []


def test_a_fabric_that_is_not_in_the_catalogue_is_refused_with_the_one_that_is_meant() -> None:
    (short,) = judged(node_pools=[gpu_pool(fabric="ndr-400")])
    assert (short.rule, short.path, short.fix) == ("fabric-unknown", FABRIC, "did you mean ndr400?")
    assert _found({"link": "token-ring", "driver": "host"}) == [
        ("fabric-unknown", f"{FABRIC}.link")
    ]


@pytest.mark.parametrize(
    ("fabric", "found"),
    [
        ({"link": "ndr400", "carries_node_address": True}, ["mgmt-on-rdma-nic"]),
        ({"link": "ndr400", "carries_node_address": True, "driver": "host"}, []),
        ({"link": "ndr400", "driver": "operator"}, []),
    ],
)
def test_a_node_that_is_reached_through_the_adapter_keeps_the_driver_it_has(
    fabric: object, found: list[str]
) -> None:
    assert [rule for rule, _ in _found(fabric)] == found


@pytest.mark.parametrize(
    ("fabric", "gpu_driver", "found"),
    [
        ({"link": "ndr400", "upgrade": "rolling"}, "580.173.02", ["disruption-budget-missing"]),
        (
            {"link": "ndr400", "upgrade": "rolling"},
            HOSTS_DRIVER,
            [],
        ),
        ({"link": "ndr400", "upgrade": "held"}, "580.173.02", []),
        ("ndr400", "580.173.02", []),
    ],
)
def test_two_drivers_of_one_pool_never_upgrade_themselves(
    fabric: object, gpu_driver: object, found: list[str]
) -> None:
    assert [rule for rule, _ in _found(fabric, driver=gpu_driver)] == found


def test_a_pool_without_gpus_has_one_driver_that_may_upgrade_itself() -> None:
    fabric = {"link": "ndr400", "upgrade": "rolling"}
    assert judged(node_pools=[cpu_pool(fabric=fabric)]) == ()


@pytest.mark.parametrize(
    ("fabric", "missing"),
    [
        ({"link": "roce-400"}, ["interfaces", "addresses"]),
        ({"link": "roce-400", "interfaces": ["ens1f0np0"]}, ["addresses"]),
        ({"link": "ndr400", "addresses": "192.168.64.0/20"}, ["interfaces"]),
        ({"link": "ndr400", "interfaces": ["ibs1"]}, []),
    ],
)
def test_an_address_needs_a_port_and_roce_needs_both(fabric: object, missing: list[str]) -> None:
    assert _found(fabric) == [("fabric-incomplete", f"{FABRIC}.{key}") for key in missing]


@pytest.mark.parametrize(
    ("fabric", "key"),
    [
        ({"link": "ndr400", "vfs": 8}, "vfs"),
        ({"link": "ndr400", "driver": "host", "upgrade": "rolling"}, "upgrade"),
    ],
)
def test_a_setting_without_effect_is_told(fabric: object, key: str) -> None:
    assert _found(fabric) == [("fabric-setting-without-effect", f"{FABRIC}.{key}")]


@pytest.mark.parametrize(
    ("nodes", "vfs", "addresses", "found"),
    [
        # 31 nodes of 8 are 248 of 254; one more is 256.
        ("n[01-31]", 8, "192.168.64.0/24", []),
        ("n[01-32]", 8, "192.168.64.0/24", ["fabric-addresses-too-few"]),
        ("n[01-32]", 8, "192.168.64.0/23", []),
        ("n1", 2, "192.168.64.0/32", ["fabric-addresses-too-few"]),
    ],
)
def test_every_node_has_its_block_of_the_subnet(
    nodes: str, vfs: int, addresses: str, found: list[str]
) -> None:
    fabric = {**ROCE, "vfs": vfs, "addresses": addresses}
    assert [rule for rule, _ in _found(fabric, nodes=nodes)] == found


def test_a_subnet_that_is_too_small_comes_with_the_size_that_does() -> None:
    (finding,) = judged(node_pools=[gpu_pool(fabric={**ROCE, "vfs": 127}, nodes="n[1-4]")])
    assert finding.fix == "write a /23 or a larger one"


def test_the_nodes_that_a_scaling_pool_can_get_have_room_too() -> None:
    pool = gpu_pool(fabric=ROCE, nodes=None, selector={"cloud/pool": "h100"}, min=1, max=40)
    assert places(judged(node_pools=[pool])) == [
        ("fabric-addresses-too-few", f"{FABRIC}.addresses")
    ]


def test_no_two_networks_of_pods_share_addresses() -> None:
    pools = [
        gpu_pool(fabric=ROCE),
        gpu_pool("more", fabric={**ROCE, "addresses": "192.168.0.0/16"}),
    ]
    assert places(judged(node_pools=pools)) == [
        ("fabric-addresses-overlap", "site.node_pools[1].fabric.addresses")
    ]
    cni = {"kind": "cilium", "pod_cidr": "192.168.0.0/16"}
    found = judged(node_pools=[gpu_pool(fabric=ROCE)], network={"cni": cni})
    assert places(found) == [("fabric-addresses-overlap", f"{FABRIC}.addresses")]


def test_a_name_that_the_network_operator_does_not_take_is_refused() -> None:
    long = "a" * 31
    assert places(judged(node_pools=[gpu_pool(long, fabric="ndr400")])) == [
        ("fabric-pool-name-too-long", "site.node_pools[0].name")
    ]
    assert judged(node_pools=[gpu_pool(long[1:], fabric="ndr400")]) == ()
    assert judged(node_pools=[gpu_pool(long)]) == ()


@pytest.mark.parametrize("key", ["rdma/train", "rdma", "rdma/rdma_shared_device_a", "hca"])
def test_a_quota_of_adapters_is_refused_because_the_number_counts_pods(key: str) -> None:
    quota = {"train": {"gpu": 8, key: 8}}
    (finding,) = judged(node_pools=[gpu_pool(fabric="ndr400")], tenants=[tenant(quota=quota)])
    assert (finding.rule, finding.path) == (
        "rdma-count-meaning",
        f"site.tenants[0].quota.train.{key}",
    )
    assert "rdma/train is 63 on each node" in finding.message


def test_a_quota_of_adapters_where_there_are_none_is_an_unknown_resource() -> None:
    quota = {"train": {"gpu": 8, "rdma": 8}}
    found = judged(node_pools=[gpu_pool()], tenants=[tenant(quota=quota)])
    assert [finding.rule for finding in found] == ["quota-unknown-resource"]


@pytest.mark.parametrize(
    ("fabric", "path"),
    [
        ({"link": "roce-400", "vfs": 0}, f"{FABRIC}.vfs"),
        ({"link": "roce-400", "vfs": 128}, f"{FABRIC}.vfs"),
        ({"link": "ndr400", "interfaces": ["a-name-of-sixteen"]}, f"{FABRIC}.interfaces[0]"),
        ({"link": "ndr400", "addresses": "192.168.64.1/20"}, f"{FABRIC}.addresses"),
        (400, FABRIC),
    ],
)
def test_a_fabric_of_the_wrong_shape_is_told_where_it_is_wrong(fabric: object, path: str) -> None:
    assert {finding.path for finding in misshapen(node_pools=[gpu_pool(fabric=fabric)])} == {path}
