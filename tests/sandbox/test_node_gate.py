"""The gate on the running site: who passes, who does not, who is left alone."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from lightkube import ApiError, Client
from lightkube.generic_resource import (
    create_global_resource,  # pyright: ignore[reportUnknownVariableType]
)
from lightkube.models.core_v1 import Container, PodSpec, ResourceRequirements, Toleration
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node, Pod
from lightkube.types import PatchType
from sandbox_project import Ran, RunningSite, labels_of, taints_of

from gpu_cluster_sandbox.stages.gate import failing_gate

ANNOTATION = "gpu-cluster.io/gate"
UNVERIFIED = ("gpu-cluster.io/unverified", "", "NoSchedule")
GPU_NODES = ("gpu01", "gpu02", "gpu03", "gpu04", "mig01", "mig02")
STAGE: Any = create_global_resource("kwok.x-k8s.io", "v1alpha1", "Stage", "stages")


def gate(running: RunningSite, *arguments: str) -> Ran:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "gpu-cluster"), "node", *arguments],
        env={**os.environ, "KUBECONFIG": str(running.state / "kubeconfig")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout
    return Ran(done.returncode, done.stdout)


def record(client: Client, node: str) -> dict[str, str]:
    metadata = client.get(Node, node).metadata
    annotations = cast("dict[str, str]", metadata.annotations or {}) if metadata else {}
    read: dict[str, str] = json.loads(annotations.get(ANNOTATION, "{}"))
    return read


def test_every_gpu_node_of_the_site_has_passed(running: RunningSite, client: Client) -> None:
    for node in GPU_NODES:
        assert record(client, node)["state"] == "passed"
        assert UNVERIFIED not in taints_of(client, node)
    assert not record(client, "cpu1")
    told = gate(running, "status")
    assert told.code == 0
    assert told.output.count("passed  allowed") == len(GPU_NODES)


def test_mig_nodes_are_cut_after_they_were_diagnosed(client: Client) -> None:
    labels = labels_of(client, "mig01")
    assert labels["nvidia.com/mig.config"] == "all-3g.40gb"
    assert labels["nvidia.com/mig.config.state"] == "success"


@pytest.fixture
def bad_gpu(client: Client) -> Iterator[str]:
    """A node of which one GPU is bad, until the test ends."""
    stage = failing_gate("gpu04")
    client.create(STAGE.from_dict(stage))
    yield "gpu04"
    with contextlib.suppress(ApiError):
        client.delete(STAGE, stage["metadata"]["name"])


def test_a_node_with_a_bad_gpu_takes_no_more_work_until_it_was_seen_to(
    running: RunningSite, client: Client, bad_gpu: str
) -> None:
    time.sleep(1)  # kwok reads stages as they come
    failed = gate(running, "gate", bad_gpu, "--now", "--wait", "60s")
    reason = "dcgmi diag -r 2: fail (GPU 3 failed the memory test)"
    assert failed == Ran(1, f"node gpu04: failed: {reason}\n")
    assert UNVERIFIED in taints_of(client, bad_gpu)
    assert reason in gate(running, "status", bad_gpu).output
    client.delete(STAGE, failing_gate(bad_gpu)["metadata"]["name"])
    time.sleep(1)
    again = gate(running, "gate", bad_gpu, "--now", "--wait", "60s")
    assert again.code == 0, again.output
    assert UNVERIFIED not in taints_of(client, bad_gpu)


def test_a_node_at_work_is_not_taken_from_its_job(running: RunningSite, client: Client) -> None:
    limits = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}
    resources = ResourceRequirements(limits=cast("Any", limits))
    spec = PodSpec(
        nodeName="gpu03",
        containers=[Container(name="main", image="example/image:1", resources=resources)],
    )
    client.create(Pod(metadata=ObjectMeta(name="at-work"), spec=spec), namespace="default")
    try:
        asked = gate(running, "gate", "gpu03", "--now")
        assert asked.code == 1
        reason = "verified again once default/at-work has ended; it works on"
        assert asked.output == f"node gpu03: pending: {reason}\n"
        assert UNVERIFIED not in taints_of(client, "gpu03")
    finally:
        client.delete(Pod, "at-work", namespace="default", grace_period=0)


def test_nodes_of_an_older_release_stay_at_work(running: RunningSite, client: Client) -> None:
    patch = {"metadata": {"annotations": {ANNOTATION: None}}}
    client.patch(Node, "mig02", patch, patch_type=PatchType.MERGE)
    held = gate(running, "hold", "mig02")
    assert held.output == "node mig02: in-service, was in its pool before there was a gate\n"
    assert UNVERIFIED not in taints_of(client, "mig02")
    assert labels_of(client, "mig02")["nvidia.com/mig.config"] == "all-3g.40gb"
    verified = gate(running, "gate", "mig02", "--now", "--wait", "60s")
    assert verified.code == 0, verified.output
    assert labels_of(client, "mig02")["nvidia.com/mig.config"] == "all-3g.40gb"


def test_a_node_in_no_pool_is_refused_by_one_line(running: RunningSite) -> None:
    asked = gate(running, "gate", "nowhere")
    assert asked.code == 1
    assert asked.output == 'Error: cannot read node nowhere: nodes "nowhere" not found\n'


@pytest.mark.parametrize(
    "toleration",
    [
        Toleration(key="gpu-cluster.io/unverified", operator="Exists"),
        Toleration(operator="Exists"),
        Toleration(operator="Exists", effect="NoSchedule"),
    ],
    ids=["by-its-key", "every-taint", "every-taint-of-this-effect"],
)
def test_no_pod_of_a_tenant_comes_onto_a_node_that_is_held(
    client: Client, toleration: Toleration
) -> None:
    container = Container(name="main", image="example/image:1")
    spec = PodSpec(containers=[container], tolerations=[toleration])
    pod = Pod(metadata=ObjectMeta(name="sly"), spec=spec)
    with pytest.raises(ApiError, match="a tenant may tolerate neither every taint nor those of"):
        client.create(pod, namespace="ml-team", dry_run=True)
    spec.tolerations = [Toleration(key="nvidia.com/gpu", operator="Exists")]
    client.create(pod, namespace="ml-team", dry_run=True)
