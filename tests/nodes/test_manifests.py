"""Which simulated nodes a site gets, and what they carry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_cluster_sandbox.nodes import SYSTEM_NODE, simulated_nodes
from gpu_cluster_sandbox.nodes.manifests import RDMA_NOTE
from pulumi_gpu_cluster.site import Site

Json = dict[str, Any]


@pytest.fixture
def raw(root: Path) -> Json:
    text = (root / "stacks" / "Pulumi.sandbox.yaml").read_text("utf-8")
    site: Json = yaml.safe_load(text)["config"]["gpu-cluster:site"]
    return {**site, "tenants": []}


def nodes(raw: Json) -> dict[str, Json]:
    return {node["metadata"]["name"]: node for node in simulated_nodes(Site.model_validate(raw))}


def test_a_hostlists_nodes_have_their_names_and_neither_taints_nor_labels_of_ours(
    raw: Json,
) -> None:
    made = nodes(raw)
    assert set(made) == {"gpu01", "gpu02", "gpu03", "gpu04", "mig01", "mig02", "cpu1", "cpu2"}
    for name, node in made.items():
        assert node["spec"] == {}, name
        assert not [key for key in node["metadata"]["labels"] if "gpu-cluster.io/" in key], name


def test_a_gpu_node_says_what_nfd_and_gfd_would(raw: Json) -> None:
    labels = nodes(raw)["gpu01"]["metadata"]["labels"]
    assert {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "kubernetes.io/hostname": "gpu01",
        "nvidia.com/gpu.count": "8",
        "nvidia.com/gpu.family": "hopper",
        "nvidia.com/gpu.memory": "81920",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig.strategy": "mixed",
    }.items() <= labels.items()


def test_a_cpu_node_says_nothing_of_gpus(raw: Json) -> None:
    node = nodes(raw)["cpu1"]
    assert not [key for key in node["metadata"]["labels"] if "nvidia" in key or "pci" in key]
    assert set(node["status"]["allocatable"]) == {"cpu", "memory", "pods", "ephemeral-storage"}


def test_a_gpu_without_mig_has_no_strategy(raw: Json) -> None:
    raw["node_pools"][0]["gpu"]["model"] = "L40S-48GB"
    labels = nodes(raw)["gpu01"]["metadata"]["labels"]
    assert labels["nvidia.com/mig.capable"] == "false"
    assert labels["nvidia.com/gpu.family"] == "ada-lovelace"
    assert "nvidia.com/mig.strategy" not in labels


@pytest.mark.parametrize(("sizes", "number"), [({"count": 3}, 3), ({"min": 2, "max": 9}, 2)])
def test_a_selectors_nodes_come_with_its_labels_and_taints(
    raw: Json, sizes: dict[str, int], number: int
) -> None:
    pool = raw["node_pools"][0]
    del pool["nodes"]
    pool |= {"selector": {"cloud.example.org/pool": "a"}, **sizes}
    made = {name: node for name, node in nodes(raw).items() if name.startswith("train-")}
    assert list(made) == [f"train-{index}" for index in range(1, number + 1)]
    for node in made.values():
        assert node["metadata"]["labels"]["cloud.example.org/pool"] == "a"
        assert node["spec"]["taints"] == [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
        ]


def test_a_site_without_a_place_for_operators_gets_one(raw: Json) -> None:
    del raw["node_pools"][2]
    assert SYSTEM_NODE in nodes(raw)


def test_a_tainted_cpu_pool_is_no_place_for_operators(raw: Json) -> None:
    assert SYSTEM_NODE not in nodes(raw)
    raw["node_pools"][2]["taints"] = [{"key": "example.org/only"}]
    assert SYSTEM_NODE in nodes(raw)


def test_a_node_on_a_fabric_says_what_nfd_would_and_what_its_adapters_would_give(raw: Json) -> None:
    raw["node_pools"][0]["fabric"] = "ndr400"
    fabric, none = nodes(raw)["gpu01"], nodes(raw)["mig01"]
    assert fabric["metadata"]["labels"]["feature.node.kubernetes.io/pci-15b3.present"] == "true"
    assert fabric["metadata"]["annotations"][RDMA_NOTE] == '{"rdma/train": "63"}'
    assert "rdma/train" not in fabric["status"]["allocatable"], "it comes with the operator"
    assert RDMA_NOTE not in none["metadata"]["annotations"]
