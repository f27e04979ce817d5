from __future__ import annotations

import json
from typing import Any

from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster, NetworkOperator

RELEASE = "kubernetes:helm.sh/v3:Release"
CLUSTER = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
NODES = "kubernetes:mellanox.com/v1alpha1:NicNodePolicy"
IPOIB = "kubernetes:mellanox.com/v1alpha1:IPoIBNetwork"
ADDRESSES = "kubernetes:nv-ipam.nvidia.com/v1alpha1:IPPool"
SRIOV = "kubernetes:sriovnetwork.openshift.io/v1"
TEAM = [{"key": "team", "value": "ml"}]
ROCE: dict[str, Any] = {
    "link": "roce-400",
    "interfaces": ["ens1f0np0"],
    "addresses": "192.168.64.0/24",
}
IB: dict[str, Any] = {
    "link": "ndr400",
    "interfaces": ["ibs1", "ibs2"],
    "addresses": "192.168.64.0/20",
}


def _operator(*fabrics: object, changes: Changes | None = None) -> Graph:
    wanted: Changes = {
        ("node_pools", index, "fabric"): fabric for index, fabric in enumerate(fabrics) if fabric
    }
    pools = site({**wanted, **(changes or {})}).node_pools
    return record(
        lambda: NetworkOperator(
            "op", namespace="nics", pools=pools, jobs="is-a-job", opts=provider_options("op")
        )
    )


def _cluster(fabric: object) -> Graph:
    return record(lambda: GpuCluster("c", site({("node_pools", 0, "fabric"): fabric})))


def _policy(graph: Graph, pool: str = "train") -> Any:
    return graph.named(f"op-{pool}", NODES).props["spec"]


def _devices(graph: Graph, pool: str = "train") -> Any:
    (devices,) = json.loads(_policy(graph, pool)["rdmaSharedDevicePlugin"]["config"])["configList"]
    return devices


def test_the_order_is_discovery_then_the_nics_ready_then_the_gpus() -> None:
    graph = _cluster("ndr400")
    discovery = graph.named("c-node-feature-discovery-release", RELEASE)
    operator = graph.named("c-network-operator-release", RELEASE)
    ready = graph.named("c-network-operator-cluster", CLUSTER)
    gpus = graph.named("c-gpu-operator-release", RELEASE)
    assert graph.waits_for(operator, discovery)
    assert graph.waits_for(ready, operator)
    assert graph.waits_for(gpus, ready)
    assert ready.props["metadata"]["annotations"]["pulumi.com/waitFor"] == (
        "jsonpath={.status.state}=ready"
    )


def test_a_cluster_without_a_fabric_has_no_network_operator() -> None:
    graph = record(lambda: GpuCluster("c", site()))
    assert "network-operator" not in {one.props["name"] for one in graph.of(RELEASE)}


def test_feature_discovery_is_off_in_both_operators_and_the_nics_rule_stays() -> None:
    values = {one.props["name"]: one.props["values"] for one in _cluster("ndr400").of(RELEASE)}
    assert values["network-operator"]["nfd"] == {"enabled": False, "deployNodeFeatureRules": True}
    assert values["gpu-operator"]["nfd"] == {"enabled": False}


def test_a_fabric_without_gpus_is_found_out_about_too() -> None:
    graph = record(lambda: GpuCluster("c", site({("node_pools", 2, "fabric"): "hdr200"})))
    assert graph.named("c-node-feature-discovery-release", RELEASE)


def test_each_pools_adapters_are_a_resource_of_that_pools_nodes_alone() -> None:
    graph = _operator("ndr400", "hdr200")
    for pool in ("train", "serve"):
        assert _devices(graph, pool)["resourceName"] == pool
        assert _policy(graph, pool)["nodeSelector"] == {"gpu-cluster.io/pool": pool}


def test_every_infiniband_port_is_shared_unless_some_are_named() -> None:
    assert _devices(_operator("ndr400"))["selectors"] == {
        "vendors": ["15b3"],
        "linkTypes": ["infiniband"],
    }
    assert _devices(_operator(IB))["selectors"] == {
        "vendors": ["15b3"],
        "ifNames": ["ibs1", "ibs2"],
    }


def test_the_hosts_own_driver_is_left_alone() -> None:
    policy = _policy(_operator({"link": "ndr400", "driver": "host"}))
    assert "ofedDriver" not in policy
    assert "rdmaSharedDevicePlugin" in policy


def test_a_newer_nic_driver_waits_for_somebody_unless_the_site_lets_it_roll() -> None:
    held = _policy(_operator("ndr400"))["ofedDriver"]["upgradePolicy"]
    assert (held["autoUpgrade"], held["safeLoad"]) == (False, False)
    rolling = _policy(_operator({"link": "ndr400", "upgrade": "rolling"}))
    assert rolling["ofedDriver"]["upgradePolicy"] == {
        "autoUpgrade": True,
        "safeLoad": True,
        "maxParallelUpgrades": 1,
        "waitForCompletion": {"podSelector": "is-a-job", "timeoutSeconds": 0},
        "drain": {
            "enable": True,
            "force": False,
            "deleteEmptyDir": True,
            "podSelector": "",
            "timeoutSeconds": 1800,
        },
    }


def test_nobody_waits_for_a_driver_that_waits_for_jobs() -> None:
    assert "annotations" not in _operator("ndr400").named("op-train", NODES).props["metadata"]


def test_agents_tolerate_the_taints_of_every_pool_and_drivers_those_of_theirs() -> None:
    graph = _operator(
        "ndr400", changes={("node_pools", 0, "taints"): TEAM, ("node_pools", 2, "taints"): TEAM}
    )
    everywhere = graph.named("op-cluster", CLUSTER).props["spec"]["tolerations"]
    assert {"nvidia.com/gpu", "team"} <= {one["key"] for one in everywhere}
    assert {"nvidia.com/gpu", "team"} <= {one["key"] for one in _policy(graph)["tolerations"]}


def test_pods_get_an_address_on_infiniband_from_a_block_of_their_node() -> None:
    graph = _operator(IB)
    addresses = graph.named("op-train-addresses", ADDRESSES)
    assert addresses.props["spec"]["subnet"] == "192.168.64.0/20"
    assert addresses.props["spec"]["perNodeBlockSize"] == 63
    network = graph.named("op-train-ipoib", IPOIB)
    assert network.props["spec"]["master"] == "ibs1"
    assert json.loads(network.props["spec"]["ipam"]) == {"type": "nv-ipam", "poolName": "train"}
    assert "ipoib" in graph.named("op-cluster", CLUSTER).props["spec"]["secondaryNetwork"]


def test_kinds_that_the_operator_brings_are_not_used_before_it_is_ready() -> None:
    graph = _operator(IB)
    ready = graph.named("op-cluster", CLUSTER)
    assert graph.waits_for(graph.named("op-train-addresses", ADDRESSES), ready)


def test_infiniband_without_addresses_needs_no_second_network() -> None:
    graph = _operator("ndr400")
    assert not graph.of(IPOIB)
    assert not graph.of(ADDRESSES)
    assert "ipoib" not in graph.named("op-cluster", CLUSTER).props["spec"]["secondaryNetwork"]


def test_networks_lie_where_no_tenant_can_change_them() -> None:
    networks = _operator(IB, ROCE)
    assert networks.named("op-train-ipoib", IPOIB).props["spec"]["networkNamespace"] == "nics"
    roce = networks.named("op-serve-network", f"{SRIOV}:SriovNetwork")
    assert roce.props["spec"]["networkNamespace"] == "nics"


def test_roce_ports_are_split_one_drained_node_at_a_time() -> None:
    graph = _operator(ROCE)
    assert graph.named("op-release", RELEASE).props["values"]["sriovNetworkOperator"] == {
        "enabled": True
    }
    functions = graph.named("op-train-vfs", f"{SRIOV}:SriovNetworkNodePolicy")
    assert functions.props["spec"] == {
        "resourceName": "roce_train",
        "nodeSelector": {"gpu-cluster.io/pool": "train"},
        "nicSelector": {"vendor": "15b3", "pfNames": ["ens1f0np0"]},
        "numVfs": 8,
        "deviceType": "netdevice",
        "isRdma": True,
    }
    budget = graph.named("op-train-budget", f"{SRIOV}:SriovNetworkPoolConfig")
    assert budget.props["spec"]["maxUnavailable"] == 1
    assert graph.waits_for(functions, budget)


def test_infiniband_alone_needs_no_sriov_operator() -> None:
    values = _operator("ndr400").named("op-release", RELEASE).props["values"]
    assert values["sriovNetworkOperator"] == {"enabled": False}


def test_roce_on_the_hosts_driver_has_no_policy_without_content() -> None:
    graph = _operator({**ROCE, "driver": "host"})
    assert not graph.of(NODES)
    assert graph.named("op-train-vfs", f"{SRIOV}:SriovNetworkNodePolicy")


def test_cilium_leaves_room_for_the_second_network() -> None:
    changes: Changes = {("network",): {"cni": "cilium"}, ("node_pools", 0, "fabric"): "ndr400"}
    graph = record(lambda: GpuCluster("c", site(changes)))
    assert graph.named("c-cilium-release", RELEASE).props["values"]["cni"] == {"exclusive": False}


def test_the_stack_says_what_pods_ask_for() -> None:
    found: dict[str, Any] = {}

    def program() -> None:
        cluster = GpuCluster("c", site({("node_pools", 0, "fabric"): "ndr400"}))
        found.update(cluster.outputs)

    record(program)
    train = found["pools"][0]
    assert (train["fabric"], train["rdma"]) == ("ndr400", "rdma/train")
    assert "rdma" not in found["pools"][1]
    assert found["versions"]["network_operator"] == "26.4.1"


def test_tenants_pods_are_kept_to_the_networks_that_are_there_for_them() -> None:
    policy = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
    graph = _operator(IB)
    spec = graph.named("op-own-networks-policy", policy).props["spec"]
    assert spec["failurePolicy"] == "Fail"
    assert "at most 1 of the networks of nics" in spec["validations"][0]["messageExpression"]
    assert graph.named("op-own-networks-binding", f"{policy}Binding")
    two = _operator({**ROCE, "interfaces": ["ens1f0np0", "ens1f1np1"]})
    (rule,) = two.named("op-own-networks-policy", policy).props["spec"]["validations"]
    assert "at most 2 of the networks" in rule["messageExpression"]
    assert not _operator("ndr400").of(policy), "without addresses there is no second network"
