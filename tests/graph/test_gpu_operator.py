from __future__ import annotations

import json
from typing import Any

import pytest
from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster, GpuOperator

DRIVER = "kubernetes:nvidia.com/v1alpha1:NVIDIADriver"
RELEASE = "kubernetes:helm.sh/v3:Release"
NAMESPACE = "kubernetes:core/v1:Namespace"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def _graph(changes: Changes | None = None, *, delete_crds: bool = False) -> Graph:
    one = site(changes)
    return record(
        lambda: GpuOperator(
            "op",
            one.gpu_operator,
            pools=one.node_pools,
            jobs="is-a-job",
            delete_crds=delete_crds,
            opts=provider_options("op"),
        )
    )


def _values(graph: Graph) -> Any:
    return graph.named("op-release", RELEASE).props["values"]


def test_its_namespace_allows_privileged_pods_before_the_chart_comes() -> None:
    graph = _graph()
    home = graph.named("op-namespace", NAMESPACE)
    assert home.props["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert graph.waits_for(graph.named("op-release", RELEASE), home)


def test_a_first_install_that_fails_leaves_no_half_release_behind() -> None:
    props = _graph().named("op-release", RELEASE).props
    assert props["atomic"] is True
    assert props["cleanupOnFail"] is True
    assert props["timeout"] == 1800
    assert props["name"] == "gpu-operator"
    assert props["version"] == "v26.7.0"


def test_each_pool_with_an_operator_driver_has_one_driver_object_pinned_to_its_nodes() -> None:
    graph = _graph()
    specs = {one.props["metadata"]["name"]: one.props["spec"] for one in graph.of(DRIVER)}
    assert {name: spec["version"] for name, spec in specs.items()} == {
        "train": "580.173.02",
        "serve": "595.91.07",
    }
    assert specs["train"]["nodeSelector"] == {"gpu-cluster.io/pool": "train"}
    assert (specs["train"]["repository"], specs["train"]["image"]) == ("nvcr.io/nvidia", "driver")
    for driver in graph.of(DRIVER):
        assert graph.waits_for(driver, graph.named("op-release", RELEASE))


def test_the_charts_own_driver_object_which_selects_every_gpu_node_is_off() -> None:
    driver = _values(_graph())["driver"]
    assert driver["enabled"] is True
    assert driver["nvidiaDriverCRD"] == {"enabled": True, "deployDefaultCR": False}


def test_a_host_driver_pool_beside_others_has_no_driver_object() -> None:
    graph = _graph({("node_pools", 0, "driver"): {"source": "host", "version": "580.173.02"}})
    assert [one.props["metadata"]["name"] for one in graph.of(DRIVER)] == ["serve"]
    assert _values(graph)["driver"]["enabled"] is True


def test_where_no_pool_wants_the_operators_driver_it_installs_neither_driver_nor_toolkit() -> None:
    managed = {"source": "managed"}
    graph = _graph({("node_pools", 0, "driver"): managed, ("node_pools", 1, "driver"): managed})
    assert not graph.of(DRIVER)
    assert _values(graph)["driver"] == {"enabled": False}
    assert _values(graph)["toolkit"]["enabled"] is False


def test_a_selector_pools_driver_goes_where_the_selector_says() -> None:
    graph = _graph(
        {
            ("node_pools", 0, "nodes"): None,
            ("node_pools", 0, "selector"): {"cloud/pool": "h100"},
            ("node_pools", 0, "count"): 2,
        }
    )
    train = next(one for one in graph.of(DRIVER) if one.props["metadata"]["name"] == "train")
    assert train.props["spec"]["nodeSelector"] == {"cloud/pool": "h100"}


def test_drivers_and_agents_tolerate_every_taint_of_the_pools() -> None:
    graph = _graph({("node_pools", 0, "taints"): [{"key": "team", "value": "ml"}, {"key": "solo"}]})
    wanted = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "gpu-cluster.io/unverified", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoSchedule"},
        {"key": "solo", "operator": "Exists", "effect": "NoSchedule"},
    ]
    values = _values(graph)
    train = next(one for one in graph.of(DRIVER) if one.props["metadata"]["name"] == "train")
    assert train.props["spec"]["tolerations"] == wanted
    assert values["daemonsets"]["tolerations"] == wanted


def test_an_upgrade_waits_for_running_jobs_and_says_every_part_of_its_policy() -> None:
    policy = _graph().of(DRIVER)[0].props["spec"]["upgradePolicy"]
    assert policy["waitForCompletion"] == {"podSelector": "is-a-job", "timeoutSeconds": 0}
    assert {"podDeletion", "drain", "waitForCompletion"} <= set(policy)


COMMAND = "command:local:Command"


def test_each_pool_is_held_before_its_driver_changes_and_led_through_waves_after() -> None:
    graph = _graph()
    for pool in ("train", "serve"):
        driver = graph.named(f"op-{pool}", DRIVER)
        hold = graph.named(f"op-{pool}-hold", COMMAND)
        waves = graph.named(f"op-{pool}-waves", COMMAND)
        assert graph.waits_for(driver, hold)
        assert graph.waits_for(waves, driver)
        assert hold.props["create"] == f"gpu-cluster node hold-drivers {pool}"
        assert hold.props["delete"] == f"{hold.props['create']} --remove"
        assert waves.props["create"] == f"gpu-cluster node drivers {pool} --json --wait 30m"
        assert "delete" not in waves.props


def test_another_driver_for_one_pool_changes_nothing_of_the_others() -> None:
    newer: Changes = {("node_pools", 0, "driver"): "595.91.07"}
    before, after = ({one.urn: one.props for one in _graph(how).resources} for how in ({}, newer))
    assert before.keys() == after.keys()
    changed = {urn.rpartition("::")[2] for urn in before if before[urn] != after[urn]}
    assert changed == {"op-train", "op-train-hold", "op-train-waves"}


def test_a_node_that_joins_a_pool_changes_nothing_of_its_drivers() -> None:
    more: Changes = {("node_pools", 0, "nodes"): "gpu[01-03]"}
    before, after = ({one.urn: one.props for one in _graph(how).resources} for how in ({}, more))
    assert before == after


def test_the_operator_begins_no_more_nodes_at_a_time_than_a_wave_has() -> None:
    policies = {
        one.props["metadata"]["name"]: one.props["spec"]["upgradePolicy"]
        for one in _graph(
            {
                ("node_pools", 0, "nodes"): "gpu[01-10]",
                ("node_pools", 0, "driver"): {"version": "580.173.02", "upgrade": {"wave": "50%"}},
            }
        ).of(DRIVER)
    }
    assert policies["train"]["maxParallelUpgrades"] == 5
    assert policies["serve"]["maxParallelUpgrades"] == 1
    assert policies["train"]["maxUnavailable"] == "100%", "a node in repair holds up no other"


def test_canaries_and_waves_are_those_of_the_site() -> None:
    driver = {"version": "580.173.02", "upgrade": {"canary": "gpu02", "wave": 2}}
    graph = _graph({("node_pools", 0, "driver"): driver})
    told = {
        pool: json.loads(
            graph.named(f"op-{pool}-waves", COMMAND).props["environment"]["GPU_CLUSTER_DRIVER"]
        )
        for pool in ("train", "serve")
    }
    assert (told["train"]["canary"], told["train"]["wave"]) == (["gpu02"], "2")
    assert (told["serve"]["canary"], told["serve"]["wave"]) == (["mig01"], "25%")
    assert told["serve"]["devices"] == {"nvidia.com/mig-3g.40gb": 16}


def test_nodes_are_looked_at_before_the_operator_gets_another_mig_strategy() -> None:
    graph = _graph()
    checked = graph.named("op-serve-mig-strategy", COMMAND)
    assert checked.props["create"] == "gpu-cluster node mig-strategy serve mixed"
    assert graph.waits_for(graph.named("op-release", RELEASE), checked)


@pytest.mark.parametrize(
    "changes",
    [
        {("node_pools", 0, "nodes"): None, ("node_pools", 0, "selector"): {"cloud/pool": "h"}},
        {("node_pools", 0, "workload"): "slurm"},
        {("node_pools", 0, "driver"): {"source": "host"}},
    ],
    ids=["found-by-a-selector", "of-slurm", "driver-of-the-host"],
)
def test_nodes_that_we_do_not_lead_have_no_waves(changes: Changes) -> None:
    waves = {one.name for one in _graph(changes).of(COMMAND)} - {"op-serve-mig-strategy"}
    assert waves == {"op-serve-hold", "op-serve-waves"}


def test_what_came_to_no_end_is_told_and_makes_the_next_run_go_on() -> None:
    last = {"drivers": {"train": {"state": "failed", "reason": "gpu01", "attempt": 2.0}}}
    graph = record(lambda: GpuCluster("c", site()), last_outputs=last)
    attempts = {
        one.name: one.props["environment"]["GPU_CLUSTER_DRIVER_ATTEMPT"]
        for one in graph.of(COMMAND)
        if one.name.endswith("-waves")
    }
    assert attempts == {"c-gpu-operator-train-waves": "2", "c-gpu-operator-serve-waves": "0"}


def test_the_policy_of_all_nodes_has_every_part_that_an_older_operator_falls_over() -> None:
    graph = _graph()
    ours = _values(graph)["driver"]["upgradePolicy"]
    driver = dict(graph.of(DRIVER)[0].props["spec"]["upgradePolicy"])
    deletion = driver.pop("podDeletion")
    budget = {"maxParallelUpgrades": 1, "maxUnavailable": "25%"}
    assert ours == {**driver, **budget, "gpuPodDeletion": deletion}
    assert ours["waitForCompletion"]["podSelector"] == "is-a-job"
    assert ours["drain"]["timeoutSeconds"] == deletion["timeoutSeconds"] == 300


def test_nodes_that_one_pool_leaves_to_people_are_upgraded_by_no_older_operator() -> None:
    slurm: Changes = {("node_pools", 0, "workload"): "slurm"}
    assert _values(_graph())["driver"]["upgradePolicy"]["autoUpgrade"] is True
    assert _values(_graph(slurm))["driver"]["upgradePolicy"]["autoUpgrade"] is False


def test_one_mig_strategy_holds_for_the_cluster() -> None:
    assert _values(_graph())["mig"] == {"strategy": "mixed"}
    single = {"layout": "all-3g.40gb", "strategy": "single"}
    assert _values(_graph({("node_pools", 1, "mig"): single}))["mig"] == {"strategy": "single"}


def test_strategies_that_differ_by_pool_are_told_by_configurations_of_the_device_plugin() -> None:
    single = {"layout": "all-3g.40gb", "strategy": "single"}
    mixed = {"layout": "all-3g.40gb", "strategy": "mixed"}
    graph = _graph({("node_pools", 0, "mig"): mixed, ("node_pools", 1, "mig"): single})
    values = _values(graph)
    assert values["mig"] == {"strategy": ""}, "the chart leaves an empty one out"
    config = {"name": "gpu-cluster-device-plugin", "default": ""}
    assert values["devicePlugin"] == {"config": config}
    made = graph.named("op-device-plugin", CONFIG_MAP)
    assert set(made.props["data"]) == {"mig-single", "mig-mixed"}
    assert graph.waits_for(graph.named("op-release", RELEASE), made)


def test_shared_gpus_have_a_configuration_and_are_told_apart_in_the_metrics() -> None:
    graph = _graph({("node_pools", 0, "sharing"): {"kind": "time-slicing", "replicas": 4}})
    values = _values(graph)
    assert values["mig"] == {"strategy": "mixed"}
    assert set(graph.named("op-device-plugin", CONFIG_MAP).props["data"]) == {"time-slicing-4"}
    exporter = values["dcgmExporter"]
    assert {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"} in exporter["env"]
    assert {"name": "NVIDIA_RESOURCE_NAMES", "value": "nvidia.com/gpu.shared"} in exporter["env"]
    assert (exporter["hostPID"], exporter["enablePodUID"]) == (True, True)


def test_where_nothing_is_shared_the_exporter_sees_no_processes_of_the_host() -> None:
    values = _values(_graph())
    assert {"env", "hostPID", "enablePodUID"} & set(values["dcgmExporter"]) == set()
    assert "devicePlugin" not in values


def test_layouts_of_ones_own_are_mig_managers_before_it_comes() -> None:
    own = {"layouts": [{"devices": {"0-3": {"3g.40gb": 2}}}]}
    graph = _graph({("node_pools", 1, "mig"): own})
    made = graph.named("op-mig-layouts", CONFIG_MAP)
    assert list(made.props["data"]) == ["config.yaml"]
    manager = _values(graph)["migManager"]
    assert manager == {
        "config": {"default": "all-disabled", "name": made.props["metadata"]["name"]}
    }
    assert graph.waits_for(graph.named("op-release", RELEASE), made)


def test_named_layouts_are_left_to_what_mig_manager_makes_of_them() -> None:
    assert _values(_graph())["migManager"] == {"config": {"default": "all-disabled"}}


def test_its_crds_go_only_where_the_site_says_so() -> None:
    assert _values(_graph())["operator"] == {"cleanupCRD": False}
    assert _values(_graph(delete_crds=True))["operator"] == {"cleanupCRD": True}


def test_memory_of_gpus_reaches_adapters_without_a_module_that_waits_for_the_nic_driver() -> None:
    graph = _graph({("node_pools", 0, "fabric"): "ndr400"})
    assert [one.props["spec"].get("rdma") for one in graph.of(DRIVER)] == [None, None]


@pytest.mark.parametrize(("brings", "of_the_host"), [("operator", False), ("host", True)])
def test_a_proprietary_kernel_module_waits_for_the_nic_driver_of_whoever_brings_it(
    brings: str, *, of_the_host: bool
) -> None:
    graph = _graph(
        {
            ("node_pools", 0, "gpu", "model"): "V100-SXM2-32GB",
            ("node_pools", 0, "fabric"): {"link": "edr100", "driver": brings},
        }
    )
    train = next(one for one in graph.of(DRIVER) if one.props["metadata"]["name"] == "train")
    assert train.props["spec"]["rdma"] == {"enabled": True, "useHostMofed": of_the_host}
