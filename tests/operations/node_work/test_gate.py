"""A node before the gate and after it, run by run."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from gate_cluster import (
    CUT,
    MIG,
    NAMESPACE,
    SHARING,
    SLICES,
    WHOLE,
    GateCluster,
    gpu_pod,
    verdict,
)

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.node_work.gate import DRIVER_LABEL, Gate, Outcome
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec, read_spec, specs_text
from pulumi_gpu_cluster.operations.node_work.hold import hold, let_go

POOL = {"gpu-cluster.io/pool": "train"}


def through(cluster: GateCluster, spec: GateSpec = WHOLE, *, now: bool = False) -> Outcome:
    access = cluster.access()
    asking = Asking(access, NAMESPACE, access.now() + 60)
    return Gate(asking, spec, "gate-train").pass_through("gpu01", now=now)


def test_a_new_node_is_held_until_it_has_passed_and_others_taints_stay() -> None:
    cluster = GateCluster()
    assert hold(cluster.access(), "gpu01").state == "held"
    assert cluster.held
    cluster.labels |= POOL
    assert through(cluster).state == "passed"
    assert not cluster.held
    assert cluster.taints == [{"key": "theirs", "effect": "NoSchedule"}]
    assert (cluster.record["boot"], cluster.record["driver"]) == ("boot-1", "580.173.02")
    assert cluster.record["firmware"] == "96.00.74.00.01", "and not that of a stranger's pod"


def test_a_node_that_passed_is_not_asked_again() -> None:
    cluster = GateCluster()
    through(cluster)
    assert through(cluster).state == "passed"
    assert cluster.asked == ["diag"]


@pytest.mark.parametrize(
    ("labels", "pods", "reason"),
    [
        (POOL, [], "was in its pool before there was a gate"),
        ({}, [gpu_pod("job")], "ran GPU work when it was first met"),
    ],
    ids=["labelled-by-an-older-release", "at-work-when-it-was-met"],
)
def test_a_node_that_worked_before_stays_at_work(
    labels: dict[str, str], pods: list[dict[str, object]], reason: str
) -> None:
    cluster = GateCluster(labels=dict(labels), pods=pods)
    hold(cluster.access(), "gpu01")
    assert through(cluster) == Outcome("gpu01", "in-service", f"not verified: {reason}")
    assert not cluster.held
    assert not cluster.asked


def test_the_operators_own_tests_on_a_new_node_are_no_work() -> None:
    cluster = GateCluster(pods=[gpu_pod("check", app="nvidia-cuda-validator")])
    assert hold(cluster.access(), "gpu01").state == "held"


@pytest.mark.parametrize(
    "labels", [{"app": "nvidia-cuda-validator"}, {"gpu-cluster.io/gate": "diag"}]
)
def test_a_tenants_pod_that_says_it_is_a_test_is_work(labels: dict[str, str]) -> None:
    cluster = GateCluster(pods=[gpu_pod("job", **labels)], tenants={"ml"})
    assert hold(cluster.access(), "gpu01").state == "in-service"


def test_a_node_at_work_may_be_verified_by_hand_once_it_is_free() -> None:
    cluster = GateCluster(labels=dict(POOL), pods=[gpu_pod("job")])
    hold(cluster.access(), "gpu01")
    assert through(cluster, now=True).state == "pending"
    assert not cluster.held
    cluster.pods.clear()
    assert through(cluster, now=True).state == "passed"


def test_a_node_made_anew_that_nothing_is_known_of_is_held_though_it_has_a_label() -> None:
    cluster = GateCluster(labels=dict(POOL), says={"diag": None})
    assert through(cluster).state == "pending"
    assert cluster.held


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gpus": 7}, "7 GPUs answer and 8 are wanted"),
        ({"diag": "fail", "reason": "GPU 3"}, "dcgmi diag -r 2: fail (GPU 3)"),
        ({"diag": "not-run"}, "dcgmi diag -r 2: not-run"),
        ({"fabric": "in-progress"}, "the NVLink fabric is in-progress, not completed"),
    ],
)
def test_a_node_with_a_fault_stays_held_and_says_why(
    change: dict[str, object], reason: str
) -> None:
    cluster = GateCluster(says={"diag": verdict(**change)})
    assert through(cluster) == Outcome("gpu01", "failed", reason)
    assert cluster.held
    assert cluster.record["reason"] == reason
    cluster.says["diag"] = verdict()
    assert through(cluster).state == "failed", "nothing has changed on the node"
    cluster.boot = "boot-2"
    assert through(cluster).state == "passed"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "passed",
        verdict().replace("gpu-cluster-gate 1", "gpu-cluster-gate 2"),
        verdict() + "diag=pass\n",
        verdict(diag="fail").replace("reason=", "diag=pass\nreason="),
        verdict(mode="slices", slices=16, mig="on"),
        verdict(driver=""),
    ],
    ids=["none", "a-word", "another-version", "one-line-more", "twice", "other-mode", "no-driver"],
)
def test_what_is_no_verdict_to_the_letter_passes_no_node(message: str) -> None:
    cluster = GateCluster(says={"diag": message})
    outcome = through(cluster)
    assert outcome.state == "pending"
    assert outcome.reason == "its pod ended without a verdict (Completed, exit code 0)"
    assert cluster.held
    assert not cluster.jobs, "so that the next run asks anew"


OTHER = replace(CUT, layout="all-1g.10gb", slices={"nvidia.com/mig-1g.10gb": 56})


def cut_and_at_work(*pods: str) -> GateCluster:
    """A node that has passed with its layout, and works."""
    cluster = GateCluster(says={"diag": verdict(), "slices": SLICES}, labels=dict(POOL))
    assert through(cluster, CUT).state == "passed"
    cluster.says["slices"] = SLICES.replace("slices=16", "slices=56")
    cluster.pods = [gpu_pod(name) for name in pods]
    return cluster


def test_another_layout_waits_for_the_pods_on_the_node_and_no_new_ones_come() -> None:
    cluster = cut_and_at_work("week-long")
    outcome = through(cluster, OTHER)
    waits = "MIG layout all-1g.10gb waits for ml/week-long to end; no new work comes to the node"
    assert outcome == Outcome("gpu01", "pending", waits)
    assert cluster.held
    assert cluster.labels[MIG] == CUT.layout
    assert not cluster.evicted
    cluster.pods.clear()
    assert through(cluster, OTHER).state == "passed"
    assert cluster.labels[MIG] == OTHER.layout
    assert not cluster.held
    assert cluster.asked == ["diag", "slices", "slices"], "what a diagnosis said holds on"


def test_a_layout_that_is_taken_back_before_its_time_lets_work_come_again_at_once() -> None:
    cluster = cut_and_at_work("week-long")
    assert through(cluster, OTHER).state == "pending"
    before = cluster.clock.seconds
    assert through(cluster, CUT).state == "passed"
    assert cluster.clock.seconds == before, "nobody is waited for"
    assert not cluster.held
    assert cluster.asked == ["diag", "slices"], "and nothing is looked at under the pods"
    assert cluster.layouts == [CUT.layout], "nothing is cut"


def test_a_layout_that_fails_leaves_the_node_without_work_and_says_so() -> None:
    cluster = cut_and_at_work()
    cluster.cutting = "failed"
    failed = "MIG layout all-1g.10gb: failed; the node takes no work"
    assert through(cluster, OTHER) == Outcome("gpu01", "failed", failed)
    assert cluster.held
    assert through(cluster, OTHER).state == "failed", "nothing has changed"
    cluster.cutting, cluster.says["slices"] = "success", SLICES
    assert through(cluster, CUT).state == "passed", "going back is another layout too"
    assert not cluster.held


@pytest.mark.parametrize(
    ("state", "then"), [("success", "passed"), ("pending", "passed"), ("failed", "failed")]
)
def test_a_layout_that_failed_is_tried_again_once_mig_manager_says_something_else(
    state: str, then: str
) -> None:
    cluster = cut_and_at_work()
    cluster.cutting = "failed"
    assert through(cluster, OTHER).state == "failed"
    cluster.labels[f"{MIG}.state"], cluster.cutting = state, "success"
    assert through(cluster, OTHER).state == then
    assert cluster.held == (then == "failed")
    again = ["diag", "slices"] if then == "passed" else []
    assert cluster.asked == ["diag", "slices", *again], "its GPUs are looked at again, whole"


def test_a_node_that_could_not_be_made_whole_is_tried_again_when_its_pool_is_cut_again() -> None:
    cluster = cut_and_at_work()
    cluster.cutting = "failed"
    assert through(cluster).state == "failed"
    cluster.cutting, cluster.says["slices"] = "success", SLICES
    whole = "MIG layout all-disabled: failed"
    assert through(cluster, CUT) == Outcome("gpu01", "pending", whole), "none to be diagnosed"
    cluster.labels[f"{MIG}.state"] = "success"
    assert through(cluster, CUT).state == "passed"


def test_missing_instances_are_not_counted_again_by_every_run() -> None:
    cluster = cut_and_at_work()
    cluster.says["slices"] = SLICES.replace("slices=16", "slices=14")
    for _ in range(2):
        assert through(cluster, OTHER).state == "failed"
    assert cluster.asked == ["diag", "slices", "slices"]


def test_a_diagnosis_that_failed_is_not_mended_by_the_layout_that_never_came() -> None:
    cluster = GateCluster(says={"diag": verdict(gpus=7)}, labels=dict(POOL))
    assert through(cluster, CUT).state == "failed"
    cluster.says["diag"] = verdict()
    assert through(cluster, CUT).state == "failed"
    assert cluster.asked == ["diag"]


@pytest.mark.parametrize(
    ("pod", "state", "evicted"),
    [("notebook", "passed", ["notebook"]), ("guarded", "pending", [])],
    ids=["free-to-go", "kept-by-a-disruption-budget"],
)
def test_pods_are_evicted_where_the_site_allows_it_and_their_budgets_too(
    pod: str, state: str, evicted: list[str]
) -> None:
    cluster = cut_and_at_work(pod)
    access = cluster.access()
    asking = Asking(access, NAMESPACE, access.now() + 60)
    outcome = Gate(asking, OTHER, "gate-train", evict=True).pass_through("gpu01", now=False)
    assert (outcome.state, cluster.evicted) == (state, evicted)
    assert cluster.clock.seconds >= 30, "first they had half the time to end by themselves"


def test_a_pool_that_is_no_longer_cut_is_whole_only_once_it_is_free() -> None:
    cluster = cut_and_at_work("job")
    assert through(cluster).state == "pending"
    assert cluster.labels[MIG] == CUT.layout
    cluster.pods.clear()
    assert through(cluster).state == "passed"
    assert cluster.layouts[-1] == "all-disabled"
    assert MIG not in cluster.labels


def test_a_node_in_service_is_verified_when_its_layout_has_emptied_it() -> None:
    cluster = GateCluster(
        says={"diag": verdict(), "slices": SLICES}, labels={**POOL, MIG: "all-1g.10gb"}
    )
    hold(cluster.access(), "gpu01")
    assert cluster.record["state"] == "in-service"
    assert through(cluster, CUT).state == "passed"
    assert cluster.asked == ["diag", "slices"]


def test_a_wait_ends_in_time_and_the_next_run_takes_the_same_job_up() -> None:
    cluster = GateCluster(says={"diag": None})
    assert through(cluster) == Outcome("gpu01", "pending", "its pod has not ended yet")
    assert cluster.clock.seconds <= 60
    assert cluster.record["reason"] == "its pod has not ended yet"
    cluster.says["diag"] = verdict()
    assert through(cluster).state == "passed"
    assert cluster.asked == ["diag"]


def test_whole_gpus_are_diagnosed_before_they_are_cut_and_slices_counted_after() -> None:
    cluster = GateCluster(says={"diag": verdict(), "slices": SLICES}, labels={MIG: "all-1g.10gb"})
    cluster.annotations["gpu-cluster.io/gate"] = json.dumps({"state": "held"})
    assert through(cluster, CUT).state == "passed"
    assert cluster.asked == ["diag", "slices"]
    assert cluster.layouts == ["all-disabled", "all-3g.40gb"]
    assert not cluster.held


def test_diag_not_run_for_mig_is_not_passed() -> None:
    cluster = GateCluster(says={"diag": verdict(mig="on", diag="not-run"), "slices": SLICES})
    outcome = through(cluster, CUT)
    assert outcome == Outcome("gpu01", "pending", "dcgmi diag was not run: MIG is on")
    assert cluster.held
    assert cluster.asked == ["diag"]


def test_a_diagnosis_is_kept_while_the_slices_are_waited_for() -> None:
    cluster = GateCluster(says={"diag": verdict(), "slices": None})
    assert through(cluster, CUT).state == "pending"
    assert cluster.held
    cluster.says["slices"] = SLICES
    assert through(cluster, CUT).state == "passed"
    assert cluster.asked == ["diag", "slices"]


def test_missing_slices_are_a_fault() -> None:
    short = verdict(mode="slices", slices=14, mig="on", diag="not-run")
    cluster = GateCluster(says={"diag": verdict(), "slices": short})
    outcome = through(cluster, CUT)
    assert outcome == Outcome("gpu01", "failed", "14 MIG instances answer and 16 are wanted")
    assert cluster.held


@pytest.mark.parametrize("change", ["boot", "driver"])
def test_another_boot_or_driver_is_verified_again_once_the_node_is_free(change: str) -> None:
    cluster = GateCluster()
    through(cluster)
    if change == "boot":
        cluster.boot = "boot-2"
    else:
        cluster.labels[DRIVER_LABEL] = "580.178.04"
    cluster.pods.append(gpu_pod("job"))
    outcome = through(cluster)
    assert outcome.state == "pending"
    assert outcome.reason == "verified again once ml/job has ended; it works on"
    assert not cluster.held, "a job is never disturbed"
    cluster.pods.clear()
    assert through(cluster).state == "passed"
    assert cluster.asked == ["diag", "diag"]


def test_a_driver_that_has_not_come_yet_takes_no_idle_node_away() -> None:
    cluster = GateCluster()
    through(cluster)
    cluster.labels[DRIVER_LABEL] = "580.173.02"
    newer = GateSpec(
        gpus=8, driver="595.91.07", layout="", slices={}, image="dcgm:1", tolerations=[]
    )
    outcome = through(cluster, newer)
    assert outcome == Outcome("gpu01", "pending", "driver 595.91.07 has not come to it yet")
    assert not cluster.held


def test_a_new_node_with_another_driver_than_the_sites_is_waited_for() -> None:
    cluster = GateCluster(says={"diag": verdict(driver="570.211.01")})
    outcome = through(cluster)
    assert outcome.state == "pending"
    assert outcome.reason == "driver 570.211.01 runs and 580.173.02 is wanted"
    assert cluster.held


def test_a_taint_that_comes_back_onto_a_verified_node_is_lifted_again() -> None:
    cluster = GateCluster()
    through(cluster)
    cluster.taints.append({"key": "gpu-cluster.io/unverified", "effect": "NoSchedule"})
    assert through(cluster).state == "passed"
    assert not cluster.held


def test_an_older_releases_layout_outlives_the_programs_letting_go_of_it() -> None:
    cluster = GateCluster(labels={**POOL, MIG: "all-3g.40gb"})
    hold(cluster.access(), "gpu01")
    assert cluster.labels[MIG] == "all-3g.40gb"
    assert cluster.managers == ["gpu-cluster-layout"]
    assert through(cluster, CUT).state == "in-service"
    assert cluster.layouts == ["all-3g.40gb"], "nothing was cut anew"


def test_a_node_that_leaves_is_given_back_as_it_came() -> None:
    cluster = GateCluster(says={"diag": verdict(), "slices": SLICES})
    through(cluster, CUT)
    let_go(cluster.access(), "gpu01")
    assert cluster.taints == [{"key": "theirs", "effect": "NoSchedule"}]
    assert not cluster.annotations
    assert MIG not in cluster.labels


def test_a_node_is_verified_unshared_and_shared_in_the_end() -> None:
    cluster = GateCluster()
    shared = replace(WHOLE, sharing="time-slicing-4")
    assert through(cluster, shared).state == "passed"
    assert cluster.labels[SHARING] == "time-slicing-4"
    assert cluster.told == [(SHARING, "time-slicing-4")]
    cluster.boot = "boot-2"
    assert through(cluster, shared).state == "passed"
    assert cluster.told[1:] == [(SHARING, None), (SHARING, "time-slicing-4")]


def test_a_node_takes_no_work_before_its_device_plugin_offers_the_shares() -> None:
    cluster = GateCluster(shares=False)
    shared = replace(WHOLE, sharing="mps-4")
    outcome = through(cluster, shared)
    assert outcome.state == "pending"
    assert outcome.reason == "sharing mps-4: the device plugin offers no shares yet"
    assert cluster.held
    cluster.shares = True
    assert through(cluster, shared).state == "passed"
    assert cluster.asked == ["diag"], "what was diagnosed is kept"


def test_instances_are_counted_under_the_strategy_of_their_pool_before_they_are_shared() -> None:
    cluster = GateCluster(says={"diag": verdict(), "slices": SLICES})
    config = "time-slicing-2-mig-mixed-0a1b2c3d"
    assert through(cluster, replace(CUT, sharing=config, unshared="mig-mixed")).state == "passed"
    assert [said for key, said in cluster.told if key == SHARING] == ["mig-mixed", config]
    assert cluster.told[-1] == (SHARING, config)


def test_gpus_at_work_are_not_shared_otherwise_under_it() -> None:
    cluster = GateCluster()
    through(cluster, replace(WHOLE, sharing="time-slicing-4"))
    cluster.pods = [gpu_pod("job")]
    waits = through(cluster, replace(WHOLE, sharing="time-slicing-8"))
    assert waits.state == "pending"
    assert waits.reason == "its GPUs are shared otherwise once ml/job has ended; it works on"
    assert cluster.labels[SHARING] == "time-slicing-4"
    cluster.pods = []
    assert through(cluster, WHOLE).state == "passed"
    assert SHARING not in cluster.labels


def test_whole_gpus_beside_instances_are_not_counted_as_such() -> None:
    both = {"nvidia.com/mig-3g.40gb": 16, "nvidia.com/gpu": 2}
    cluster = GateCluster(says={"diag": verdict(), "slices": SLICES})
    assert through(cluster, replace(CUT, layout="custom-0a1b2c3d", slices=both)).state == "passed"


def test_a_new_layout_of_ones_own_is_not_failed_because_mig_manager_does_not_know_it_yet() -> None:
    says: dict[str, str | None] = {"diag": verdict(), "slices": SLICES}
    own = replace(CUT, layout="custom-0a1b2c3d")
    assert through(GateCluster(says=says, unknown_for=6), own).state == "passed"
    never = through(GateCluster(says=says, unknown_for=10_000), own)
    assert never.state == "failed"


def test_nodes_of_one_pool_may_be_cut_each_in_its_way() -> None:
    other = replace(CUT, layout="custom-0a1b2c3d", slices={"nvidia.com/mig-1g.10gb": 56})
    text = specs_text({"gpu01": CUT, "gpu02": other, "gpu03": CUT})
    assert [read_spec(text, node) for node in ("gpu01", "gpu02", "gpu03")] == [CUT, other, CUT]
    assert specs_text({"gpu01": CUT, "gpu02": CUT}) == CUT.text()


def test_nonsense_in_the_annotation_is_refused_and_passes_nothing() -> None:
    for text in ("passed", "{}", '{"state": "verified"}', '{"state": "passed", "boot": 1}', "[]"):
        cluster = GateCluster(annotations={"gpu-cluster.io/gate": text})
        with pytest.raises(
            AccessError, match=r"annotation gpu-cluster.io/gate of node gpu01 makes"
        ):
            through(cluster)
