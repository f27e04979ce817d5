"""Each case is a few resources and exactly what one rule about drivers says of them."""

from __future__ import annotations

from typing import Any

import pytest
from policy_stack import faults, found, manifest, pool, release

from gpu_cluster_policies.drivers.conduct import (
    DRIVER_UPGRADE_WITHOUT_POD_SELECTOR,
    OPERATOR_DRIVER_ON_MANAGED_NODES,
    PEERMEM_WITHOUT_OFED,
)
from gpu_cluster_policies.drivers.selectors import DRIVER_SELECTORS_OVERLAP, DRIVER_WITHOUT_SELECTOR
from gpu_cluster_policies.drivers.versions import (
    DRIVER_BELOW_BOARD_MINIMUM,
    DRIVER_NOT_IN_CATALOGUE,
    DRIVER_PAST_END,
)

OPERATOR = "gpu-operator"


def driver(name: Any = "train", node: Any = None, **spec: Any) -> Any:
    selector = {"nodeSelector": {"gpu-cluster.io/pool": name} if node is None else node}
    return manifest(
        "nvidia.com/v1alpha1:NVIDIADriver", name, spec={**selector, "version": "580.173.02", **spec}
    )


def test_no_node_is_matched_by_two_drivers() -> None:
    rule = DRIVER_SELECTORS_OVERLAP
    one, other = driver(), driver("serve")
    default = driver("any", {}, default=True)
    assert faults(rule, [one, other, default]) == []
    assert faults(rule, [one, driver("old", {"gpu-cluster.io/pool": "train"})]) == [
        "NVIDIADriver old: its nodeSelector may match a node of NVIDIADriver train"
    ]
    assert faults(rule, [one, driver("rack", {"rack": "a"})]) == [
        "NVIDIADriver rack: its nodeSelector may match a node of NVIDIADriver train"
    ]
    assert faults(rule, [default, driver("all", {}, default=True)]) == [
        "NVIDIADriver all: is a default beside NVIDIADriver any: only one may be"
    ]


def test_drivers_of_two_pools_do_not_meet_whatever_labels_those_are_found_by() -> None:
    rack = {"rack": "a"}
    pools = [pool("train"), pool("serve", selector=rack)]
    assert faults(DRIVER_SELECTORS_OVERLAP, [*pools, driver(), driver("serve", rack)]) == []
    assert len(faults(DRIVER_SELECTORS_OVERLAP, [pools[0], driver(), driver("serve", rack)])) == 1
    config = {
        "pools": {
            "train": {"selector": {"gpu-cluster.io/pool": "train"}},
            "serve": {"selector": rack},
        }
    }
    assert faults(DRIVER_SELECTORS_OVERLAP, [driver(), driver("serve", rack)], config) == []


def test_a_chart_whose_default_driver_overrides_the_pools_is_told() -> None:
    rule, crd = DRIVER_SELECTORS_OVERLAP, {"enabled": True}
    chart = release(OPERATOR, {"driver": {"nvidiaDriverCRD": crd}}, version="v25.10.0")
    wrong = [
        (
            "Release gpu-operator/gpu-operator: makes a default NVIDIADriver that matches the "
            "nodes of all others"
        )
    ]
    assert faults(rule, [chart, driver()]) == wrong
    assert faults(rule, [chart]) == [], "it is alone"
    newer = release(OPERATOR, {"driver": {"nvidiaDriverCRD": crd}}, version="v26.7.0")
    off = {"driver": {"nvidiaDriverCRD": {**crd, "deployDefaultCR": False}}}
    assert faults(rule, [newer, driver()]) == []
    assert faults(rule, [release(OPERATOR, off, version="v25.3.4"), driver()]) == []


def test_a_driver_says_which_nodes_it_is_for() -> None:
    rule = DRIVER_WITHOUT_SELECTOR
    assert faults(rule, [driver(), driver("any", {}, default=True)]) == []
    assert faults(rule, [driver("all", {})]) == [
        "NVIDIADriver all: has no nodeSelector, so it is for every GPU node"
    ]
    assert faults(rule, [driver("any", {"a": "b"}, default=True)]) == [
        "NVIDIADriver any: is the default and has a nodeSelector, which stops all drivers"
    ]


def chart(**values: Any) -> Any:
    return release(OPERATOR, {"driver": values})


def policy(**values: Any) -> Any:
    return manifest("nvidia.com/v1:ClusterPolicy", "cluster-policy", spec={"driver": values})


@pytest.mark.parametrize(
    ("version", "wrong"),
    [
        ("580.173.02", None),
        ("595", None),
        ("999.10.01", "of no known branch"),
        ("595.999.01", "and the newest known of its branch 595.91.07"),
        ("latest", "which is no version of a driver"),
    ],
)
def test_a_driver_exists(version: str, wrong: str | None) -> None:
    rule = DRIVER_NOT_IN_CATALOGUE
    for one, path in (
        (driver(version=version), "spec.version"),
        (policy(version=version), "spec.driver.version"),
        (chart(version=version), "values.driver.version"),
    ):
        told = faults(rule, [one])
        assert bool(told) == bool(wrong)
        assert all(f"{path} is {version}, {wrong}" in message for message in told)
    idle = chart(version=version, nvidiaDriverCRD={"enabled": True})
    assert faults(rule, [idle, chart(version=version, enabled=False)]) == []


def test_a_drivers_branch_still_gets_fixes() -> None:
    rule = DRIVER_PAST_END
    old = driver(version="535.309.01")
    assert faults(rule, [driver()], {"asOf": "2026-12-01"}) == []
    assert faults(rule, [old], {"asOf": "2026-06-30"}) == []
    assert faults(rule, [old], {"asOf": "2026-07-01"}) == [
        "NVIDIADriver train: spec.version is 535.309.01, of a branch without fixes since 2026-06-30"
    ]
    assert len(faults(rule, [chart(version="535.309.01")], {"asOf": "2026-12-01"})) == 1
    assert len(faults(rule, [old])) == 1, "without a day, today"


@pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-00-00"])
def test_a_day_that_no_calendar_has_is_told_and_ends_no_run(day: str) -> None:
    (told,) = faults(DRIVER_PAST_END, [driver()], {"asOf": day})
    assert f"cannot judge spec.version: {day} is no day of the calendar" in told


def test_a_driver_is_new_enough_for_its_board() -> None:
    rule = DRIVER_BELOW_BOARD_MINIMUM
    train, b200 = pool("train", gpu="H100-SXM5-80GB"), pool("b200", gpu="B200-SXM-180GB")
    old = driver("b200", version="535.309.01")
    assert faults(rule, [train, b200, driver(), driver("b200")]) == []
    wrong = ["NVIDIADriver b200: spec.version is 535.309.01, and B200-SXM-180GB needs 570"]
    assert faults(rule, [train, b200, old]) == wrong
    assert faults(rule, [old], {"boards": {"b200": "B200-SXM-180GB"}}) == wrong
    product = {"nvidia.com/gpu.product": "NVIDIA-B200"}
    assert faults(rule, [driver("b200", product, version="535.309.01")]) == wrong
    sliced = pool("train", gpu="H200-SXM-141GB", layout="all-1g.18gb")
    assert faults(rule, [sliced, driver(version="550.54.15")]) == [
        "NVIDIADriver train: spec.version is 550.54.15, and H200-SXM-141GB with MIG needs 550.90.07"
    ]
    assert faults(rule, [b200, chart(version="535.309.01")]) == [
        (
            "Release gpu-operator/gpu-operator: values.driver.version is 535.309.01, and "
            "B200-SXM-180GB needs 570"
        )
    ]
    assert found(rule, driver()) == [
        (
            "cannot judge spec.version 580.173.02 of NVIDIADriver train: nothing tells which GPUs "
            "its nodes have; fix: set gpu-cluster.boards.train in the file given with "
            "--policy-pack-config"
        )
    ]


def test_no_driver_is_installed_over_a_clouds_own() -> None:
    rule = OPERATOR_DRIVER_ON_MANAGED_NODES
    ours = pool("train", driver={"source": "operator", "version": "580.173.02"})
    theirs = pool("cloud", driver={"source": "managed", "version": ""})
    assert faults(rule, [ours, theirs, driver()]) == []
    assert faults(rule, [theirs, chart(enabled=False)]) == []
    assert faults(rule, [driver()], {"managedNodes": False}) == []
    assert faults(rule, [theirs, driver("cloud")]) == [
        "NVIDIADriver cloud: spec installs a driver on the pool cloud, which has its own (managed)"
    ]
    assert faults(rule, [theirs, chart(enabled=True)]) == [
        (
            "Release gpu-operator/gpu-operator: values.driver installs a driver on the pool cloud, "
            "which has its own (managed)"
        )
    ]
    assert faults(rule, [driver()], {"managedNodes": True}) == [
        "NVIDIADriver train: spec installs a driver, and the nodes' images bring one"
    ]
    assert found(rule, driver()) == [
        (
            "cannot judge the driver of NVIDIADriver train: nothing tells whether the nodes' "
            "images bring a driver; fix: set gpu-cluster.managedNodes in the file given with "
            "--policy-pack-config, for example false"
        )
    ]


def test_an_upgrade_waits_for_the_pods_that_use_gpus() -> None:
    rule = DRIVER_UPGRADE_WITHOUT_POD_SELECTOR
    waits = {"autoUpgrade": True, "waitForCompletion": {"podSelector": "gpu=true"}}
    hasty = {"autoUpgrade": True, "waitForCompletion": {"podSelector": ""}}
    assert faults(rule, [driver(upgradePolicy=waits), driver()]) == []
    assert faults(rule, [driver(upgradePolicy={**hasty, "autoUpgrade": False})]) == []
    assert faults(rule, [driver(upgradePolicy=hasty)]) == [
        "NVIDIADriver train: spec.upgradePolicy waits for no pods"
    ]
    assert faults(rule, [chart(upgradePolicy={"autoUpgrade": True})]) == [
        "Release gpu-operator/gpu-operator: values.driver.upgradePolicy waits for no pods"
    ]


def test_peermem_has_a_nic_driver_to_be_built_against() -> None:
    rule, rdma = PEERMEM_WITHOUT_OFED, {"enabled": True}
    nic = manifest(
        "mellanox.com/v1alpha1:NicClusterPolicy", "nics", spec={"ofedDriver": {"image": "doca"}}
    )
    wrong = ["NVIDIADriver train: spec.rdma waits for a NIC driver that nothing here installs"]
    assert faults(rule, [driver(rdma=rdma), nic]) == []
    assert faults(rule, [driver(rdma={**rdma, "useHostMofed": True}), driver()]) == []
    assert faults(rule, [driver(rdma=rdma)]) == wrong
    empty = manifest("mellanox.com/v1alpha1:NicClusterPolicy", "nics", spec={"nvIpam": {}})
    assert faults(rule, [driver(rdma=rdma), empty]) == wrong
    assert len(faults(rule, [chart(rdma=rdma)])) == 1
    network = release("network-operator", {"ofedDriver": {"deploy": True}})
    assert faults(rule, [chart(rdma=rdma), network]) == []
