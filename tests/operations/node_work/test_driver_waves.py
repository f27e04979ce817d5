"""A pool's way to another driver, run by run."""

from __future__ import annotations

import pytest
from driver_cluster import NEW, OLD, SKIP, STATE, DriverCluster, spec

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.node_work.driver_record import ANNOTATION
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec
from pulumi_gpu_cluster.operations.node_work.driver_waves import (
    DriverWaves,
    PoolOutcome,
    hold_drivers,
    let_drivers_go,
)
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking


def up(
    cluster: DriverCluster, wanted: DriverSpec | None = None, *, wait: float = 600
) -> PoolOutcome:
    """What one `pulumi up` does: hold, change the NVIDIADriver, go on with the waves."""
    wanted = wanted or spec()
    access = cluster.access()
    hold_drivers(access, wanted)
    cluster.told = wanted.version
    return DriverWaves(Asking(access, wanted.namespace, access.now() + wait), wanted).go_on()


def test_canaries_go_first_and_then_wave_after_wave() -> None:
    cluster = DriverCluster()
    outcome = up(cluster, spec(canary=["gpu3"]))
    assert outcome == PoolOutcome("train", "done", f"driver {NEW}")
    assert cluster.began[0] == "gpu3"
    assert [set(cluster.began[1:3]), set(cluster.began[3:])] == [{"gpu1", "gpu2"}, {"gpu4", "gpu5"}]
    assert set(cluster.versions().values()) == {NEW}
    for node in cluster.nodes.values():
        assert node.labels == {STATE: "upgrade-done"}
        assert not node.annotations, "nothing of ours stays"


def test_every_node_is_held_before_the_version_changes() -> None:
    cluster = DriverCluster()
    held = hold_drivers(cluster.access(), spec())
    assert held == ["gpu1", "gpu2", "gpu3", "gpu4", "gpu5"]
    assert cluster.held() == set(cluster.names)
    assert cluster.nodes["gpu2"].record == {
        "state": "held",
        "version": NEW,
        "before": OLD,
        "devices": {"nvidia.com/gpu": 8},
    }


def test_nothing_is_written_where_all_nodes_have_the_driver_or_none_yet() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu5"].pod = ""
    cluster.told = cluster.brings = OLD
    assert up(cluster, spec(OLD)).state == "done"
    assert not cluster.writes
    assert cluster.clock.seconds == 0


def test_the_done_of_the_last_upgrade_is_not_taken_for_that_of_this_one() -> None:
    cluster = DriverCluster(lag=10**6)
    outcome = up(cluster, wait=600)
    assert outcome.state == "pending"
    assert outcome.reason.startswith(f"driver {NEW}: the operator has not taken it over yet")
    assert "ConflictingNodeSelector: also in serve" in outcome.reason
    assert {node.state for node in cluster.nodes.values()} == {"upgrade-done"}
    assert cluster.held() == set(cluster.names), "no wave begins on the word of an old label"


def test_a_node_counts_as_done_only_with_all_its_gpus_back() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].labels["nvidia.com/mig.strategy"] = "mixed"
    hold_drivers(cluster.access(), spec())
    cluster.nodes["gpu1"].gpus = 7
    outcome = up(cluster, wait=600)
    assert outcome.state == "pending"
    assert "gpu1: it offers 7 of 8 nvidia.com/gpu" in outcome.reason
    assert cluster.began == ["gpu1"]
    cluster.nodes["gpu1"].gpus = 8
    assert up(cluster).state == "done"


def test_a_node_counts_as_done_only_once_the_operator_has_validated_it() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].validated = False
    outcome = up(cluster, wait=600)
    assert "gpu1: the operator's validator is not ready on it" in outcome.reason
    assert cluster.began == ["gpu1"]


def test_a_label_of_feature_discovery_that_speaks_of_the_old_driver_is_waited_for() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].labels["nvidia.com/cuda.driver-version.full"] = OLD
    outcome = up(cluster, wait=600)
    assert f"gpu1: GPU Feature Discovery says {OLD} yet" in outcome.reason


def test_the_first_failure_stops_every_later_wave_and_says_where_and_what_to_do() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu2"].bad = True
    outcome = up(cluster)
    assert outcome.state == "failed"
    assert outcome.reason == (
        f"driver {NEW}: gpu2: nvidia-driver-ctr: CrashLoopBackOff back-off restarting; "
        "gpu4 and gpu5 keep their driver; fix: mend gpu2 and run pulumi up to go on, or write "
        f"driver {OLD} to go back"
    )
    assert cluster.versions()["gpu4"] == cluster.versions()["gpu5"] == OLD
    assert cluster.held() == {"gpu4", "gpu5"}
    assert cluster.nodes["gpu2"].record["state"] == "failed"


def test_nodes_of_the_failed_wave_that_have_not_begun_are_held_again() -> None:
    cluster = DriverCluster()
    access = cluster.access()
    hold_drivers(access, spec())
    cluster.told = cluster.brings = NEW
    for name in ("gpu1", "gpu2"):
        node = cluster.nodes[name]
        node.annotations[ANNOTATION] = f'{{"state": "upgrading", "version": "{NEW}"}}'
        del node.labels[SKIP]
        node.labels[STATE] = "upgrade-required"
    cluster.nodes["gpu1"].labels[STATE] = "upgrade-failed"
    outcome = DriverWaves(Asking(access, "gpu-operator", access.now() + 60), spec()).go_on()
    assert outcome.state == "failed"
    assert "gpu1: the operator says upgrade-failed" in outcome.reason
    assert "gpu2" in cluster.held()


def test_once_the_failed_node_is_mended_the_next_run_goes_on() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu2"].bad = True
    up(cluster)
    assert up(cluster).state == "failed", "nothing has changed"
    cluster.nodes["gpu2"].bad = False
    assert up(cluster).state == "done"
    assert set(cluster.versions().values()) == {NEW}
    assert not cluster.held()


def test_writing_the_old_version_again_rolls_the_nodes_back_that_had_changed() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu2"].bad = True
    up(cluster)
    cluster.nodes["gpu2"].labels[STATE] = "upgrade-failed"
    cluster.began.clear()
    assert up(cluster, spec(OLD)) == PoolOutcome("train", "done", f"driver {OLD}")
    assert set(cluster.versions().values()) == {OLD}
    assert set(cluster.began) == {"gpu1", "gpu2"}, "gpu3 was on its way and only turned round"
    assert not {"gpu4", "gpu5"} & set(cluster.began), "their jobs are left alone"
    assert {node.state for node in cluster.nodes.values()} == {"upgrade-done"}
    assert not cluster.held()


def test_a_node_that_the_operator_had_marked_is_not_emptied_when_the_version_goes_back() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].busy = True
    up(cluster, wait=600)
    assert cluster.nodes["gpu2"].state == "upgrade-required"
    cluster.nodes["gpu1"].busy = False
    assert up(cluster, spec(OLD)).state == "done"
    assert cluster.began == ["gpu1"]


def test_a_job_that_goes_on_for_days_ends_the_run_and_not_the_job() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].busy = True
    outcome = up(cluster, wait=1800)
    assert outcome.state == "pending"
    assert outcome.reason == (
        f"driver {NEW}: gpu1: wait-for-jobs-required, driver {OLD}, ml/week-long runs on it; "
        "gpu2, gpu3, gpu4 and gpu5 wait for their wave"
    )
    assert cluster.clock.seconds <= 1800
    assert cluster.began == ["gpu1"]
    cluster.nodes["gpu1"].busy = False
    assert up(cluster).state == "done"


@pytest.mark.parametrize("steps", range(0, 26, 3))
def test_a_run_that_is_killed_anywhere_is_taken_up_where_it_was(steps: int) -> None:
    cluster = DriverCluster()
    outcome = up(cluster, wait=0.4 + steps)
    again = up(cluster)
    assert again.state == "done", outcome
    assert sorted(cluster.began) == list(cluster.names), "no node is upgraded twice"
    assert cluster.began[0] == "gpu1"


def test_a_node_that_an_administrator_keeps_back_stays_as_it_is() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu4"].labels[SKIP] = "true"
    outcome = up(cluster)
    assert outcome.state == "done"
    assert outcome.reason == f"driver {NEW}; gpu4 left alone by a label of somebody else"
    assert cluster.versions()["gpu4"] == OLD
    assert cluster.nodes["gpu4"].skipped


def test_a_node_that_another_driver_object_claims_is_told_with_both_names() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].labels["nvidia.com/gpu-operator.driver.owner"] = "serve"
    outcome = up(cluster)
    assert outcome.state == "failed"
    assert "gpu1: NVIDIADriver serve has it, and not train" in outcome.reason


def test_a_driver_pod_that_was_replaced_before_its_time_is_looked_at_like_any_other() -> None:
    cluster = DriverCluster()
    hold_drivers(cluster.access(), spec())
    cluster.told = cluster.brings = NEW
    rebooted = cluster.nodes["gpu5"]
    rebooted.pod, rebooted.validated = NEW, False
    outcome = up(cluster, wait=600)
    assert "gpu5: the operator's validator is not ready on it" in outcome.reason


def test_a_pool_that_goes_lets_its_nodes_go() -> None:
    cluster = DriverCluster()
    hold_drivers(cluster.access(), spec())
    let_drivers_go(cluster.access(), "train", "gpu-operator")
    assert not cluster.held()
    assert not any(node.annotations for node in cluster.nodes.values())


def test_a_record_that_makes_no_sense_is_refused_with_the_way_out() -> None:
    cluster = DriverCluster()
    cluster.nodes["gpu1"].annotations[ANNOTATION] = '{"state": "upgraded"}'
    with pytest.raises(AccessError, match="of node gpu1 makes no sense; fix: remove it"):
        up(cluster)


@pytest.mark.parametrize(
    ("wave", "waves"),
    [
        ("1", [["n2"], ["n1"], ["n3"], ["n9"], ["n10"]]),
        ("50%", [["n2"], ["n1", "n3"], ["n9", "n10"]]),
        ("1%", [["n2"], ["n1"], ["n3"], ["n9"], ["n10"]]),
        ("40", [["n2"], ["n1", "n3", "n9", "n10"]]),
    ],
)
def test_waves_are_of_the_size_that_the_site_says_in_the_order_people_count(
    wave: str, waves: list[list[str]]
) -> None:
    wanted = spec(canary=["n2"], wave=wave)
    assert wanted.waves({"n1", "n2", "n3", "n9", "n10"}, 5) == waves
