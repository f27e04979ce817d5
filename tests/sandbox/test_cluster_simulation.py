"""What kwok plays on the embedded cluster, and what it leaves alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from cluster_probes import has_account
from lightkube import Client
from lightkube.models.batch_v1 import JobSpec
from lightkube.models.core_v1 import (
    Container,
    NodeStatus,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    Taint,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Node, Pod
from plugin_process import eventually

from gpu_cluster_sandbox.cluster import Cluster

RESOURCES = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}


@pytest.fixture(scope="module")
def admin(bare_cluster: Cluster) -> Iterator[Client]:
    client = bare_cluster.client()
    client.create(node("gpu01", simulated=True))
    client.create(node("other", simulated=False))
    # A new node is tainted until the controllers, which may have only just started, saw it.
    assert eventually(lambda: ready(client, "gpu01") and not taints(client, "gpu01"), 30)
    assert eventually(lambda: has_account(client, "default"))
    yield client
    # Other tests share the cluster and count on pods that nothing runs.
    for name in ("gpu01", "other"):
        client.delete(Node, name)


def node(name: str, *, simulated: bool) -> Node:
    return Node(
        metadata=ObjectMeta(
            name=name, annotations={"kwok.x-k8s.io/node": "fake"} if simulated else None
        ),
        status=NodeStatus(capacity=RESOURCES, allocatable=RESOURCES) if simulated else None,
    )


def ready(client: Client, name: str) -> bool:
    status = client.get(Node, name).status
    conditions = (status.conditions if status else None) or []
    return any(item.type == "Ready" and item.status == "True" for item in conditions)


def taints(client: Client, name: str) -> list[Taint]:
    spec = client.get(Node, name).spec
    return (spec.taints if spec else None) or []


def pod_spec(gpus: int) -> PodSpec:
    return PodSpec(
        restartPolicy="Never",
        containers=[
            Container(
                name="main",
                image="example.org/none",
                resources=ResourceRequirements(limits={"nvidia.com/gpu": str(gpus)}),
            )
        ],
    )


def phase(client: Client, name: str) -> str:
    status = client.get(Pod, name, namespace="default").status
    return (status.phase if status else None) or ""


def test_a_simulated_node_is_ready_with_the_resources_it_came_with(admin: Client) -> None:
    status: Any = admin.get(Node, "gpu01").status
    assert status.allocatable == RESOURCES


def test_a_node_without_the_annotation_is_left_alone(admin: Client) -> None:
    assert not ready(admin, "other")


def test_a_pod_runs_where_the_scheduler_put_it_and_goes_when_it_is_deleted(
    admin: Client,
) -> None:
    admin.create(Pod(metadata=ObjectMeta(name="one", namespace="default"), spec=pod_spec(gpus=8)))
    assert eventually(lambda: phase(admin, "one") == "Running")
    spec = admin.get(Pod, "one", namespace="default").spec
    assert spec
    assert spec.nodeName == "gpu01"
    admin.create(Pod(metadata=ObjectMeta(name="two", namespace="default"), spec=pod_spec(gpus=1)))
    time.sleep(0.5)
    assert phase(admin, "two") == "Pending", "all eight are taken"
    admin.delete(Pod, "one", namespace="default")
    assert eventually(lambda: phase(admin, "two") == "Running")
    admin.delete(Pod, "two", namespace="default")


def test_a_jobs_pod_ends_after_the_time_that_its_annotation_names(admin: Client) -> None:
    seconds = 1.0
    admin.create(
        Job(
            metadata=ObjectMeta(name="train", namespace="default"),
            spec=JobSpec(
                template=PodTemplateSpec(
                    metadata=ObjectMeta(
                        annotations={"sandbox.gpu-cluster.io/runs-for": f"{seconds}s"}
                    ),
                    spec=pod_spec(gpus=1),
                )
            ),
        )
    )
    assert eventually(lambda: _active(admin) == 1)
    begun = time.monotonic()
    assert eventually(lambda: _succeeded(admin) == 1)
    assert time.monotonic() - begun > seconds / 2


def _active(client: Client) -> int:
    status = client.get(Job, "train", namespace="default").status
    return (status.active if status else None) or 0


def _succeeded(client: Client) -> int:
    status = client.get(Job, "train", namespace="default").status
    return (status.succeeded if status else None) or 0
