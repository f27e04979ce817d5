"""What a member of a tenant tries with a certificate of its own, to get past the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from bare_cluster import until
from lightkube import ApiError, Client, KubeConfig
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.batch_v1 import JobSpec
from lightkube.models.core_v1 import (
    Affinity,
    Container,
    EmptyDirVolumeSource,
    ISCSIVolumeSource,
    NFSVolumeSource,
    PodAffinityTerm,
    PodAntiAffinity,
    PodSchedulingGate,
    PodSpec,
    PodTemplateSpec,
    ServicePort,
    ServiceSpec,
    Volume,
)
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta, OwnerReference
from lightkube.models.rbac_v1 import RoleRef, Subject
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import ConfigMap, Pod, Service
from lightkube.resources.rbac_authorization_v1 import RoleBinding
from lightkube.types import PatchType
from sandbox_project import RunningSite

from gpu_cluster_sandbox.cluster.kubeconfig import write_kubeconfig
from gpu_cluster_sandbox.cluster.pki import Identity, Pki

NAMESPACE = "ml-team"
MADE_BY_A_JOB = OwnerReference("batch/v1", "Job", "mine", "0-0-0", controller=True)
EMPTY = Volume(name="own", emptyDir=EmptyDirVolumeSource())


@pytest.fixture(scope="module")
def member(running: RunningSite) -> Client:
    """Somebody whose certificate says: of the group ml-team, and nothing else."""
    return _somebody(running, Identity("eve", user="eve", group="ml-team"))


@pytest.fixture(scope="module")
def job_controller(running: RunningSite) -> Client:
    """Kubernetes' own controller of jobs, which makes pods of what a tenant wrote into a job."""
    user = "system:serviceaccount:kube-system:job-controller"
    return _somebody(running, Identity("job-controller", user=user))


@pytest.fixture(scope="module")
def admin(running: RunningSite) -> Iterator[Client]:
    """Somebody who may give any right within the namespace."""
    api = "rbac.authorization.k8s.io"
    name = "test-admins"
    binding = RoleBinding(
        metadata=ObjectMeta(name=name),
        roleRef=RoleRef(apiGroup=api, kind="ClusterRole", name="cluster-admin"),
        subjects=[Subject(apiGroup=api, kind="User", name="adam")],
    )
    client = running.client()
    client.create(binding, namespace=NAMESPACE)
    adam = _somebody(running, Identity("adam", user="adam"))
    # The API server hears of rights a moment after they were given.
    until(lambda: _may_look(adam), "the binding holds")
    yield adam
    client.delete(RoleBinding, name, namespace=NAMESPACE)


def _may_look(who: Client) -> bool:
    try:
        return bool(list(who.list(RoleBinding)))
    except ApiError:
        return False


def test_a_plain_pod_of_a_member_is_taken(member: Client) -> None:
    member.create(_pod("plain"), dry_run=True)


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(
            {"metadata": {"ownerReferences": [MADE_BY_A_JOB]}},
            id="says-that-a-job-made-it",
        ),
        pytest.param(
            {"metadata": {"annotations": {"kueue.x-k8s.io/pod-suspending-parent": "job"}}},
            id="says-that-its-parent-waits",
        ),
    ],
)
def test_a_pod_that_would_pass_the_queue_is_refused(member: Client, pod: dict[str, Any]) -> None:
    with pytest.raises(ApiError, match="a pod may not claim that a controller made it"):
        member.create(_pod("sly", **pod), dry_run=True)


@pytest.mark.parametrize("kind", [Job, Deployment])
def test_work_that_says_that_a_queued_job_made_it_is_refused(
    member: Client, kind: type[Job | Deployment]
) -> None:
    member.create(_work(kind), dry_run=True)
    with pytest.raises(ApiError, match="work may not claim that a controller made it"):
        member.create(_work(kind, owners=[MADE_BY_A_JOB]), dry_run=True)


def test_a_job_cannot_find_an_owner_later(member: Client, client: Client) -> None:
    member.create(_work(Job))
    # One that is there: what belongs to nothing is collected as garbage.
    named = ObjectMeta(name="owner", namespace=NAMESPACE)
    made = client.create(ConfigMap(metadata=named)).metadata
    assert made is not None
    owner = OwnerReference("v1", "ConfigMap", "owner", str(made.uid), controller=True)
    try:
        owners: dict[str, Any] = {"metadata": {"ownerReferences": [owner.to_dict()]}}
        with pytest.raises(ApiError, match="work may not claim that a controller made it"):
            member.patch(Job, "work", owners, patch_type=PatchType.MERGE)
        client.patch(Job, "work", owners, namespace=NAMESPACE, patch_type=PatchType.MERGE)
        noted = {"metadata": {"annotations": {"seen": "yes"}}}
        member.patch(Job, "work", noted, patch_type=PatchType.MERGE)
    finally:
        client.delete(Job, "work", namespace=NAMESPACE)
        client.delete(ConfigMap, "owner", namespace=NAMESPACE)


@pytest.mark.parametrize("who", ["member", "job_controller"])
def test_nobody_chooses_a_pods_node_but_the_scheduler(
    request: pytest.FixtureRequest, who: str
) -> None:
    maker: Client = request.getfixturevalue(who)
    maker.create(_pod("placed"), dry_run=True, namespace=NAMESPACE)
    chosen = _pod("chosen", spec={"nodeName": "gpu01"})
    with pytest.raises(ApiError, match="a pod may not choose its node"):
        maker.create(chosen, dry_run=True, namespace=NAMESPACE)


@pytest.mark.parametrize(
    "volume",
    [
        pytest.param(
            Volume(name="other", nfs=NFSVolumeSource(server="nfs.lab.example", path="/homes")),
            id="nfs",
        ),
        pytest.param(
            Volume(
                name="other",
                iscsi=ISCSIVolumeSource(
                    targetPortal="192.0.2.10:3260", iqn="iqn.2026-01.example.lab:disk", lun=0
                ),
            ),
            id="iscsi",
        ),
    ],
)
def test_no_pod_mounts_what_the_nodes_network_reaches(member: Client, volume: Volume) -> None:
    with pytest.raises(ApiError, match="a tenant has volumes by claim only"):
        member.create(_pod("reader", spec={"volumes": [volume]}), dry_run=True)
    member.create(_pod("writer", spec={"volumes": [EMPTY]}), dry_run=True)


def test_no_pod_keeps_those_of_other_tenants_off_its_node(member: Client) -> None:
    member.create(_pod("spread", spec={"affinity": _apart_from(None)}), dry_run=True)
    with pytest.raises(ApiError, match="exceeded quota: gpu-cluster-no-foreign-affinity"):
        member.create(_pod("alone", spec={"affinity": _apart_from("vision")}), dry_run=True)


@pytest.mark.parametrize(
    ("subject", "allowed"),
    [
        (Subject(kind="User", name="alice"), True),
        (Subject(kind="Group", name="ml-team-guests"), True),
        (Subject(kind="ServiceAccount", name="default", namespace=NAMESPACE), True),
        (Subject(kind="ServiceAccount", name="hub", namespace=f"jupyterhub-{NAMESPACE}"), True),
        (Subject(kind="ServiceAccount", name="default", namespace="vision"), False),
        (Subject(kind="ServiceAccount", name="hub", namespace="jupyterhub-vision"), False),
        (Subject(kind="User", name="system:serviceaccount:vision:default"), False),
        (Subject(kind="Group", name="system:serviceaccounts:vision"), False),
        (Subject(kind="Group", name="system:authenticated"), False),
        (Subject(kind="User", name="system:anonymous"), False),
    ],
    ids=lambda value: f"{value.name}-{value.namespace}" if isinstance(value, Subject) else "",
)
def test_rights_in_a_tenant_go_to_people_and_to_its_own_programs(
    admin: Client, subject: Subject, *, allowed: bool
) -> None:
    binding = RoleBinding(
        metadata=ObjectMeta(name="more"),
        roleRef=RoleRef(
            apiGroup="rbac.authorization.k8s.io", kind="Role", name="gpu-cluster-member"
        ),
        subjects=[subject],
    )
    if allowed:
        admin.create(binding, dry_run=True)
        return
    with pytest.raises(ApiError, match="rights here go to people and groups"):
        admin.create(binding, dry_run=True)


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


def _somebody(running: RunningSite, identity: Identity) -> Client:
    pki = Pki(running.state / "pki")
    pki.issue(identity)
    admins = json.loads((running.state / "kubeconfig").read_text())
    path = running.state / f"{identity.name}.kubeconfig"
    server = admins["clusters"][0]["cluster"]["server"]
    write_kubeconfig(path, pki, identity.name, server, "sandbox")
    return Client(config=KubeConfig.from_file(path), namespace=NAMESPACE)


def _work(kind: type[Job | Deployment], owners: Sequence[OwnerReference] = ()) -> Job | Deployment:
    """A job that makes no pod, or a deployment without any."""
    meta = ObjectMeta(name="work", namespace=NAMESPACE, ownerReferences=list(owners))
    labels = {"app": "work"}
    pod = _pod("work").spec
    if kind is Deployment:
        template = PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=pod)
        selector = LabelSelector(matchLabels=labels)
        return Deployment(
            metadata=meta, spec=DeploymentSpec(selector=selector, template=template, replicas=0)
        )
    assert pod is not None
    pod.restartPolicy = "Never"
    return Job(metadata=meta, spec=JobSpec(template=PodTemplateSpec(spec=pod), suspend=True))


def _apart_from(namespace: str | None) -> Affinity:
    term = PodAffinityTerm(
        topologyKey="kubernetes.io/hostname",
        labelSelector=LabelSelector(),
        namespaces=None if namespace is None else [namespace],
    )
    return Affinity(
        podAntiAffinity=PodAntiAffinity(requiredDuringSchedulingIgnoredDuringExecution=[term])
    )


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
