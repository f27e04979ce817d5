"""Simulated nodes follow the site file, and their GPUs follow the layout that is asked for."""

from __future__ import annotations

import time

import pytest
from bare_cluster import NODE, BareCluster, until

from gpu_cluster_sandbox.nodes import apply_nodes, simulated_nodes
from gpu_cluster_sandbox.stages.devices import DONE
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node
from pulumi_gpu_cluster.node_pools.cuts import cut_by_node
from pulumi_gpu_cluster.node_pools.plugin_config import plugin_config
from pulumi_gpu_cluster.node_pools.props import PLUGIN_CONFIG_LABEL
from pulumi_gpu_cluster.site import Site

WHOLE = "8 all-disabled mixed unshared"
STATE = "nvidia.com/mig.config.state"


@pytest.fixture
def nodes(bare: BareCluster, site: Site) -> Site:
    """The sandbox's site, with its nodes ready and all their GPUs whole.

    They are the same nodes for every test: kwok takes ten seconds to notice a node again that
    was deleted and came back under its name.
    """
    apply_nodes(bare.client, site)
    names = {node["metadata"]["name"] for node in simulated_nodes(site)}
    until(lambda: names <= ready(bare), f"{names} are ready")
    cut = ("gpu01", "mig01")
    for name in cut:
        labels = {"nvidia.com/mig.config": None, PLUGIN_CONFIG_LABEL: None}
        bare.patch(NODE, name, {"metadata": {"labels": labels}})
    until(lambda: {done(bare, name) for name in cut} == {WHOLE}, "the GPUs are whole")
    return site


def ready(bare: BareCluster) -> set[str]:
    return {
        node["metadata"]["name"]
        for node in bare.all(NODE)
        if any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in node["status"].get("conditions", [])
        )
    }


def done(bare: BareCluster, name: str) -> str | None:
    """What was last brought about on a node."""
    annotations: dict[str, str] = bare.get(NODE, name)["metadata"]["annotations"]
    return annotations.get(DONE)


def allocatable(bare: BareCluster, name: str) -> dict[str, str]:
    amounts: dict[str, str] = bare.get(NODE, name)["status"]["allocatable"]
    return amounts


def devices(bare: BareCluster, name: str) -> dict[str, int]:
    """What a node offers of GPUs, without what it offers none of."""
    return {
        key: int(amount)
        for key, amount in allocatable(bare, name).items()
        if key.startswith("nvidia.com/") and amount != "0"
    }


def label(bare: BareCluster, name: str, key: str) -> str | None:
    labels: dict[str, str] = bare.get(NODE, name)["metadata"]["labels"]
    return labels.get(key)


def ask(bare: BareCluster, name: str, layout: str, **more: str) -> None:
    """Asks for a layout as the product does."""
    labels = {"nvidia.com/mig.config": layout, **more}
    bare.patch(NODE, name, {"metadata": {"labels": labels}})


def first_pool(site: Site, **changed: object) -> Site:
    raw = site.model_dump(mode="json")
    raw["node_pools"][0].update(changed)
    return Site.model_validate(raw)


def test_every_machine_of_the_site_is_there_with_what_it_has(
    bare: BareCluster, nodes: Site
) -> None:
    assert ready(bare) == {"gpu01", "gpu02", "gpu03", "gpu04", "mig01", "mig02", "cpu1", "cpu2"}
    assert devices(bare, "gpu01") == {"nvidia.com/gpu": 8}
    assert devices(bare, "cpu1") == {}
    assert allocatable(bare, "gpu01")["cpu"] == "192"
    assert bare.get(NODE, "gpu01")["status"]["nodeInfo"]["kubeletVersion"] == "v1.36.3"


def test_applying_again_changes_nothing(bare: BareCluster, nodes: Site) -> None:
    def versions() -> dict[str, str]:
        return {
            node["metadata"]["name"]: node["metadata"]["resourceVersion"] for node in bare.all(NODE)
        }

    def nobody_speaks() -> bool:
        seen = versions()
        time.sleep(1)
        return versions() == seen

    # The control plane and the stages have things of their own to say of a fresh node.
    until(nobody_speaks, "the nodes are as they will be")
    before = versions()
    apply_nodes(bare.client, nodes)
    assert versions() == before


def test_labels_and_taints_of_others_stay(bare: BareCluster, nodes: Site) -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    labels = {"gpu-cluster.io/pool": "train"}
    bare.patch(NODE, "gpu01", {"metadata": {"labels": labels}, "spec": {"taints": [taint]}})
    apply_nodes(bare.client, first_pool(nodes, memory="1900Gi"))
    assert label(bare, "gpu01", "gpu-cluster.io/pool") == "train"
    assert taint in bare.get(NODE, "gpu01")["spec"]["taints"]
    assert allocatable(bare, "gpu01")["memory"] == "1900Gi"


def test_a_node_that_the_site_lost_goes_and_a_real_one_stays(
    bare: BareCluster, nodes: Site
) -> None:
    bare.create(NODE, {"metadata": {"name": "somebodys"}})
    apply_nodes(bare.client, first_pool(nodes, nodes="gpu[01-03]"))
    names = bare.names(NODE)
    bare.delete(NODE, "somebodys")
    assert "gpu04" not in names
    assert {"gpu03", "somebodys"} <= names


def test_a_deleted_node_comes_back(bare: BareCluster, nodes: Site) -> None:
    bare.delete(NODE, "mig01")
    apply_nodes(bare.client, nodes)
    until(lambda: devices(bare, "mig01") == {"nvidia.com/gpu": 8}, "mig01 offers its GPUs")


def test_another_number_of_gpus_is_offered_at_once(bare: BareCluster, nodes: Site) -> None:
    gpu = {"model": "H100-SXM5-80GB", "count": 4}
    apply_nodes(bare.client, first_pool(nodes, gpu=gpu))
    until(lambda: devices(bare, "gpu01") == {"nvidia.com/gpu": 4}, "gpu01 has four GPUs")


def test_a_layout_is_cut_as_the_product_counts_it_and_taken_back(
    bare: BareCluster, nodes: Site
) -> None:
    pool = next(pool for pool in nodes.node_pools if pool.mig)
    assert pool.mig is not None
    ask(bare, "mig01", pool.mig.layout or "")
    counted = dict(devices_per_node(pool))
    assert counted == {"nvidia.com/mig-3g.40gb": 16}
    until(lambda: devices(bare, "mig01") == counted, f"mig01 offers {counted}")
    assert label(bare, "mig01", STATE) == "success"
    # What it offered once stays, at zero.
    assert allocatable(bare, "mig01")["nvidia.com/gpu"] == "0"
    ask(bare, "mig01", "all-disabled")
    until(lambda: devices(bare, "mig01") == {"nvidia.com/gpu": 8}, "the GPUs are whole again")


def test_under_the_single_strategy_every_instance_is_a_gpu_and_the_product_says_so(
    bare: BareCluster, nodes: Site
) -> None:
    ask(bare, "mig01", "all-1g.10gb", **{"nvidia.com/mig.strategy": "single"})
    until(lambda: devices(bare, "mig01") == {"nvidia.com/gpu": 56}, "seven of each GPU")
    product = "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"
    assert label(bare, "mig01", "nvidia.com/gpu.product") == product


def test_a_layout_that_the_site_wrote_itself_is_cut_as_the_product_counts_it(
    bare: BareCluster, nodes: Site
) -> None:
    gpus = {"0-2": {"3g.40gb": 1, "1g.10gb": 3}, "3": {"1g.10gb": 7}}
    own = {"layouts": [{"devices": gpus}]}
    changed = first_pool(nodes, mig=own)
    apply_nodes(bare.client, changed)
    pool = changed.node_pools[0]
    ask(bare, "gpu01", cut_by_node(pool)["gpu01"].layout)
    counted = dict(devices_per_node(pool))
    assert counted == {
        "nvidia.com/mig-3g.40gb": 3,
        "nvidia.com/mig-1g.10gb": 16,
        "nvidia.com/gpu": 4,
    }
    until(lambda: devices(bare, "gpu01") == counted, f"gpu01 offers {counted}")
    assert label(bare, "gpu01", STATE) == "success"


def test_shared_gpus_go_by_their_own_name_and_as_often_as_the_product_counts_them(
    bare: BareCluster, nodes: Site
) -> None:
    changed = first_pool(nodes, sharing={"kind": "time-slicing", "replicas": 4})
    pool = changed.node_pools[0]
    config = plugin_config(pool, changed.node_pools)
    assert config is not None
    bare.patch(NODE, "gpu01", {"metadata": {"labels": {PLUGIN_CONFIG_LABEL: config.name}}})
    counted = dict(devices_per_node(pool))
    assert counted == {"nvidia.com/gpu.shared": 32}
    until(lambda: devices(bare, "gpu01") == counted, f"gpu01 offers {counted}")
    assert label(bare, "gpu01", "nvidia.com/gpu.replicas") == "4"
    assert label(bare, "gpu01", "nvidia.com/gpu.sharing-strategy") == "time-slicing"
    assert label(bare, "gpu01", "nvidia.com/gpu.product") == "NVIDIA-H100-80GB-HBM3"
    bare.patch(NODE, "gpu01", {"metadata": {"labels": {PLUGIN_CONFIG_LABEL: None}}})
    until(lambda: devices(bare, "gpu01") == {"nvidia.com/gpu": 8}, "the GPUs are one pod's again")


def test_a_layout_that_the_board_lacks_fails_and_leaves_the_gpus(
    bare: BareCluster, nodes: Site
) -> None:
    ask(bare, "mig01", "all-3g.71gb")
    until(lambda: label(bare, "mig01", STATE) == "failed", "the layout is refused")
    assert devices(bare, "mig01") == {"nvidia.com/gpu": 8}


def test_a_layout_taken_back_while_it_is_pending_settles(bare: BareCluster, nodes: Site) -> None:
    ask(bare, "mig01", "all-3g.40gb")
    until(lambda: label(bare, "mig01", STATE) == "pending", "it is being worked on")
    ask(bare, "mig01", "all-disabled")
    until(lambda: label(bare, "mig01", STATE) == "success", "the last layout is applied")
    assert devices(bare, "mig01") == {"nvidia.com/gpu": 8}
