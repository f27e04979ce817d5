"""What a member of a tenant tries with a certificate of its own, to get past the queue."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lightkube import ApiError, Client, KubeConfig
from lightkube.models.core_v1 import (
    Container,
    PodSchedulingGate,
    PodSpec,
    ServicePort,
    ServiceSpec,
)
from lightkube.models.meta_v1 import ObjectMeta, OwnerReference
from lightkube.resources.core_v1 import Pod, Service
from lightkube.types import PatchType
from sandbox_project import RunningSite

from gpu_cluster_sandbox.cluster.kubeconfig import write_kubeconfig
from gpu_cluster_sandbox.cluster.pki import Identity, Pki

NAMESPACE = "ml-team"


@pytest.fixture(scope="module")
def member(running: RunningSite) -> Client:
    """Somebody whose certificate says: of the group ml-team, and nothing else."""
    pki = Pki(running.state / "pki")
    pki.issue(Identity("eve", user="eve", group="ml-team"))
    admins = json.loads((running.state / "kubeconfig").read_text())
    path = running.state / "eve.kubeconfig"
    write_kubeconfig(path, pki, "eve", admins["clusters"][0]["cluster"]["server"], "sandbox")
    return Client(config=KubeConfig.from_file(path), namespace=NAMESPACE)


def test_a_plain_pod_of_a_member_is_taken(member: Client) -> None:
    member.create(_pod("plain"), dry_run=True)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param({"spec": {"nodeName": "gpu01"}}, id="chooses-its-node"),
        pytest.param(
            {
                "metadata": {
                    "ownerReferences": [
                        OwnerReference("batch/v1", "Job", "mine", "0-0-0", controller=True)
                    ]
                }
            },
            id="says-that-a-job-made-it",
        ),
        pytest.param(
            {"metadata": {"annotations": {"kueue.x-k8s.io/pod-suspending-parent": "job"}}},
            id="says-that-its-parent-waits",
        ),
    ],
)
def test_a_pod_that_would_pass_the_queue_is_refused(member: Client, pod: dict[str, Any]) -> None:
    with pytest.raises(ApiError, match="a pod may not choose its node, nor claim"):
        member.create(_pod("sly", **pod), dry_run=True)


def test_a_member_cannot_open_the_gate_that_holds_a_pod(member: Client, client: Client) -> None:
    gate = PodSchedulingGate(name="kueue.x-k8s.io/admission")
    member.create(_pod("held", spec={"schedulingGates": [gate]}))
    try:
        with pytest.raises(ApiError, match="only the queue opens the gates"):
            _open(member)
        _open(client)
    finally:
        client.delete(Pod, "held", namespace=NAMESPACE, grace_period=0)


def test_a_service_takes_no_address_outside_the_cluster(member: Client) -> None:
    spec = ServiceSpec(ports=[ServicePort(port=443)], externalIPs=["192.0.2.1"])
    service = Service(metadata=ObjectMeta(name="thief"), spec=spec)
    with pytest.raises(ApiError, match="addresses outside the cluster"):
        member.create(service, dry_run=True)


def _open(who: Client) -> None:
    who.patch(
        Pod,
        "held",
        {"spec": {"schedulingGates": None}},
        namespace=NAMESPACE,
        patch_type=PatchType.MERGE,
    )


def _pod(
    name: str, *, metadata: dict[str, Any] | None = None, spec: dict[str, Any] | None = None
) -> Pod:
    container = Container(name="main", image="example/image:1")
    return Pod(
        metadata=ObjectMeta(name=name, namespace=NAMESPACE, **(metadata or {})),
        spec=PodSpec(containers=[container], **(spec or {})),
    )
