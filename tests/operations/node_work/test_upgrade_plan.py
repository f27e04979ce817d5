"""What an upgrade would do, on a cluster that is looked at and on none."""

from __future__ import annotations

from typing import Any

import pytest
from driver_cluster import NEW, OLD, SKIP, DriverCluster, spec
from made_site import gpu_pool, made_site

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.operations.node_work.driver_waves import DriverWaves, hold_drivers
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.upgrade_plan import (
    NodeStep,
    PoolSteps,
    operator_step,
    pool_steps,
)


def pool(**changes: Any) -> NodePoolArgs:
    upgrade = {"canary": "gpu2", "wave": 2}
    driver = {"version": NEW, "upgrade": upgrade}
    made: dict[str, Any] = {"nodes": "gpu[1-5]", "driver": driver, **changes}
    return made_site(node_pools=[gpu_pool(**made)]).node_pools[0]


def steps(cluster: DriverCluster | None, wanted: NodePoolArgs) -> PoolSteps:
    told = pool_steps(cluster.access() if cluster else None, wanted, "gpu-operator")
    assert told is not None
    return told


def test_without_a_cluster_it_says_what_it_assumes() -> None:
    told = steps(None, pool())
    names = [[node.name for node in wave] for wave in told.waves]
    assert names == [["gpu2"], ["gpu1", "gpu3"], ["gpu4", "gpu5"]]
    assert told.notes == ["assumed: every node has another driver"]
    assert operator_step(None, "gpu-operator") == "becomes v26.7.0, if it is another one"


def test_with_a_cluster_it_tells_who_has_which_driver_and_what_runs_there() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].busy = True
    cluster.nodes["gpu3"].pod = NEW
    cluster.nodes["gpu4"].labels[SKIP] = "true"
    cluster.nodes["gpu5"].pod = ""
    told = steps(cluster, pool(nodes="gpu[1-6]"))
    assert told.waves == [
        [NodeStep("gpu2", canary=True, before=OLD, pods=[])],
        [NodeStep("gpu1", canary=False, before=OLD, pods=["ml/week-long"])],
    ]
    assert told.notes == [
        "gpu4: left alone: somebody else set the label nvidia.com/gpu-driver-upgrade.skip",
        f"gpu5: without a driver that anybody knows of: {NEW} comes at once",
        "gpu6: not in the cluster under the pool's label",
    ]
    assert not cluster.writes, "it only looks"


def test_an_upgrade_under_way_is_told_from_where_it_is() -> None:
    cluster = DriverCluster()
    hold_drivers(cluster.access(), spec())
    assert len(steps(cluster, pool()).waves) == 3
    wanted = {"version": OLD, "upgrade": {"canary": "gpu2", "wave": 2}}
    assert len(steps(cluster, pool(driver=wanted)).waves) == 3


def test_nodes_that_an_earlier_run_began_are_told_apart_from_the_waves_to_come() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].bad = True
    access = cluster.access()
    hold_drivers(access, spec())
    cluster.told = NEW
    asking = Asking(access, "gpu-operator", access.now() + 600)
    assert DriverWaves(asking, spec()).go_on().state == "failed"
    told = steps(cluster, pool())
    names = [[node.name for node in wave] for wave in told.waves]
    assert names == [["gpu2"], ["gpu3", "gpu4"], ["gpu5"]]
    assert told.notes == [
        "gpu1: under way from an earlier run; the next wave waits for that",
        "gpu1: failed in an earlier run: nvidia-driver-ctr: CrashLoopBackOff back-off restarting",
    ]


def test_an_operator_that_does_not_say_its_version_is_not_taken_for_an_older_one() -> None:
    said = operator_step(DriverCluster(operator="").access(), "gpu-operator")
    assert said == "becomes v26.7.0, if it is another one: its Deployment does not say"


def test_the_operator_comes_before_all_drivers() -> None:
    cluster = DriverCluster(operator="v26.3.3")
    assert operator_step(cluster.access(), "gpu-operator").startswith(
        "v26.3.3 becomes v26.7.0, before any driver"
    )
    cluster.operator = "v26.7.0"
    assert operator_step(cluster.access(), "gpu-operator") == "stays v26.7.0"


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"driver": {"source": "host", "version": OLD}}, "the driver comes from host"),
        ({"workload": "slurm", "driver": OLD}, "by hand: drain each node in Slurm"),
        (
            {"nodes": None, "selector": {"cloud/pool": "h"}, "count": 2, "driver": OLD},
            "by the GPU Operator, one node at a time",
        ),
    ],
    ids=["of-the-host", "of-slurm", "found-by-a-selector"],
)
def test_pools_that_are_not_led_say_who_upgrades_them(changes: dict[str, Any], note: str) -> None:
    told = steps(None, pool(**changes))
    assert not told.waves
    assert told.notes[0].startswith(note)


def test_a_pool_without_gpus_has_no_steps() -> None:
    wanted = pool(gpu=None, driver=None)
    assert pool_steps(None, wanted, "gpu-operator") is None
