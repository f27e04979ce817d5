"""Names of what pods ask for on a fabric."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import gpu_pool, made_site

from pulumi_gpu_cluster.network.resources import fabric_pools, network_name, rdma_resource
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

ROCE: dict[str, Any] = {
    "link": "roce-400",
    "interfaces": ["ens1f0np0", "ens2f0np0"],
    "addresses": "192.168.64.0/24",
}


def _pool(name: str = "train", **changes: object) -> NodePoolArgs:
    return made_site(node_pools=[gpu_pool(name, **changes)]).node_pools[0]


@pytest.mark.parametrize(
    ("name", "fabric", "resource", "per_node"),
    [
        ("train", "ndr400", "rdma/train", 63),
        ("big-train", "ndr400", "rdma/big_train", 63),
        ("train", ROCE, "nvidia.com/roce_train", 16),
        # Neither is the device plugin's own name.
        ("gpu", {**ROCE, "vfs": 4}, "nvidia.com/roce_gpu", 8),
    ],
)
def test_each_pool_has_a_resource_of_its_own(
    name: str, fabric: object, resource: str, per_node: int
) -> None:
    pool = _pool(name, fabric=fabric)
    assert rdma_resource(pool) == resource
    assert [found.per_node for found in fabric_pools([pool])] == [per_node]


def test_a_pool_without_a_fabric_has_none() -> None:
    assert rdma_resource(_pool()) is None
    assert rdma_resource(_pool(fabric="token-ring")) is None
    assert network_name(_pool(), "nics") is None


def test_a_pod_names_a_network_only_where_there_are_addresses() -> None:
    assert network_name(_pool(fabric=ROCE), "nics") == "nics/train"
    assert network_name(_pool(fabric="ndr400"), "nics") is None
