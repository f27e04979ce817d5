"""What the gate's pod asks for, and what it can do."""

from __future__ import annotations

from typing import Any

from gate_cluster import CUT, WHOLE

from pulumi_gpu_cluster.operations.node_work.gate_job import Mode, job, job_name
from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec, read_spec


def pod(spec: GateSpec, mode: Mode) -> Any:
    return job("j", "gpu01", mode, spec, "gate-train")["spec"]["template"]["spec"]


def test_it_asks_for_every_gpu_of_the_node_by_its_real_name() -> None:
    (whole,) = pod(WHOLE, "diag")["containers"]
    assert whole["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    (cut,) = pod(CUT, "slices")["containers"]
    assert cut["resources"]["limits"] == {"nvidia.com/mig-3g.40gb": "16"}


def test_it_comes_onto_that_node_and_past_the_taint() -> None:
    spec = pod(WHOLE, "diag")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    (term,) = spec["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"]
    assert term["matchFields"][0]["values"] == ["gpu01"]
    assert {
        "key": "gpu-cluster.io/unverified",
        "operator": "Exists",
        "effect": "NoSchedule",
    } in spec["tolerations"]


def test_it_has_no_token_and_no_privilege() -> None:
    spec = pod(WHOLE, "diag")
    assert spec["automountServiceAccountToken"] is False
    (container,) = spec["containers"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert "hostPID" not in spec
    assert not [one for one in spec["volumes"] if "hostPath" in one]


def test_the_wait_for_a_driver_is_no_part_of_the_pods_time() -> None:
    whole = job("j", "gpu01", "diag", WHOLE, "gate-train")
    assert "activeDeadlineSeconds" not in whole["spec"]
    assert whole["spec"]["template"]["spec"]["activeDeadlineSeconds"] == 3600


def test_another_boot_node_or_question_is_another_job() -> None:
    def named(uid: str = "u", boot: str = "b", mode: Mode = "diag", spec: GateSpec = WHOLE) -> str:
        node = {"metadata": {"uid": uid}, "status": {"nodeInfo": {"bootID": boot}}}
        return job_name(node, mode, spec)

    names = {named(), named(uid="v"), named(boot="c"), named(mode="slices"), named(spec=CUT)}
    assert len(names) == 5
    assert named() == named()
    assert all(len(name) <= 63 for name in names)


def test_a_spec_is_read_as_it_was_written() -> None:
    assert read_spec(CUT.text()) == CUT
