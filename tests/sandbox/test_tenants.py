"""What the members of a tenant can do on the real API server, and what they cannot."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import pytest
from lightkube import ApiError, Client
from lightkube.models.authorization_v1 import ResourceAttributes, SubjectAccessReviewSpec
from lightkube.models.core_v1 import (
    Container,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    ServicePort,
    ServiceSpec,
    Toleration,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.authorization_v1 import SubjectAccessReview
from lightkube.resources.core_v1 import Pod, ResourceQuota, Service


class Act(NamedTuple):
    """Something that somebody might try."""

    verb: str
    group: str
    resource: str


def test_a_tenant_may_not_use_more_gpus_than_its_ceiling(client: Client) -> None:
    with pytest.raises(ApiError, match="exceeded quota"):
        client.create(_gpu_pod("greedy", gpus=25), namespace="ml-team")


def test_a_tenant_without_gpus_in_its_quota_gets_none(client: Client) -> None:
    with pytest.raises(ApiError, match="exceeded quota"):
        client.create(_gpu_pod("sly", gpus=1), namespace="students")


@pytest.mark.parametrize("name", ["system-node-critical", "system-cluster-critical"])
def test_no_pod_of_a_tenant_pushes_others_aside(client: Client, name: str) -> None:
    pod = _gpu_pod("pushy", gpus=1)
    assert pod.spec is not None
    pod.spec.priorityClassName = name
    with pytest.raises(ApiError, match="exceeded quota: gpu-cluster-no-system-priority"):
        client.create(pod, namespace="ml-team")


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
def test_no_service_of_a_tenant_opens_a_port_on_the_nodes(client: Client, kind: str) -> None:
    spec = ServiceSpec(type=kind, ports=[ServicePort(port=80)])
    with pytest.raises(ApiError, match="exceeded quota: gpu-cluster-objects"):
        client.create(Service(metadata=ObjectMeta(name="open"), spec=spec), namespace="ml-team")


def test_every_kind_that_the_cluster_serves_is_counted(client: Client) -> None:
    quota = client.get(ResourceQuota, "gpu-cluster-objects", namespace="ml-team")
    assert quota.status is not None
    counted = cast("dict[str, str]", quota.status.used or {})
    for name in ("count/configmaps", "count/secrets", "count/jobs.batch", "count/deployments.apps"):
        assert name in counted


def test_a_pod_that_states_nothing_gets_defaults_and_no_gpu(client: Client) -> None:
    spec = PodSpec(containers=[Container(name="main", image="example/image:1")])
    pod = client.create(Pod(metadata=ObjectMeta(name="plain"), spec=spec), namespace="ml-team")
    try:
        assert pod.spec is not None
        resources = pod.spec.containers[0].resources
        assert resources is not None
        requests = cast("dict[str, str]", resources.requests or {})
        limits = cast("dict[str, str]", resources.limits or {})
        assert {"cpu", "memory"} <= set(requests)
        assert "nvidia.com/gpu" not in {*requests, *limits}
    finally:
        client.delete(Pod, "plain", namespace="ml-team")


def test_the_quota_counts_requests_only_since_nobody_counts_gpu_limits(client: Client) -> None:
    hard: dict[str, Any] = {}
    for quota in client.list(ResourceQuota, namespace="vision"):
        assert quota.spec is not None
        hard |= quota.spec.hard or {}
    assert hard["requests.nvidia.com/gpu"] == "16"
    assert not [name for name in hard if name.startswith("limits.nvidia.com/")]


@pytest.mark.parametrize(
    ("act", "allowed"),
    [
        (Act("create", "", "pods"), True),
        (Act("create", "batch", "jobs"), True),
        (Act("get", "", "resourcequotas"), True),
        (Act("get", "kueue.x-k8s.io", "localqueues"), True),
        (Act("create", "kueue.x-k8s.io", "localqueues"), False),
        (Act("update", "kueue.x-k8s.io", "workloads"), False),
        (Act("update", "", "resourcequotas"), False),
        (Act("delete", "", "limitranges"), False),
        (Act("delete", "networking.k8s.io", "networkpolicies"), False),
        (Act("create", "rbac.authorization.k8s.io", "rolebindings"), False),
        (Act("escalate", "rbac.authorization.k8s.io", "roles"), False),
        (Act("update", "", "namespaces"), False),
        (Act("create", "", "serviceaccounts/token"), False),
        (Act("bind", "", "pods/binding"), False),
        (Act("create", "", "pods/binding"), False),
        (Act("update", "", "pods/ephemeralcontainers"), False),
    ],
    ids=lambda value: "-".join(filter(None, value)) if isinstance(value, Act) else str(value),
)
def test_a_member_may_run_work_and_not_bend_the_rules(
    client: Client, act: Act, *, allowed: bool
) -> None:
    assert _may(client, "ml-team", act, namespace="ml-team") is allowed


@pytest.mark.parametrize("resource", ["pods", "secrets", "configmaps", "pods/log"])
def test_a_member_sees_nothing_of_another_tenant(client: Client, resource: str) -> None:
    assert _may(client, "ml-team", Act("get", "", resource), namespace="ml-team")
    assert not _may(client, "ml-team", Act("get", "", resource), namespace="vision")


@pytest.mark.parametrize("resource", ["nodes", "namespaces", "persistentvolumes", "pods"])
def test_a_member_has_no_rights_over_the_whole_cluster(client: Client, resource: str) -> None:
    for verb in ("list", "create", "delete"):
        assert not _may(client, "ml-team", Act(verb, "", resource), namespace="")


def test_a_tenant_namespace_refuses_privileged_pods(client: Client) -> None:
    container = Container(
        name="main", image="example/image:1", securityContext=SecurityContext(privileged=True)
    )
    pod = Pod(metadata=ObjectMeta(name="root"), spec=PodSpec(containers=[container]))
    with pytest.raises(ApiError, match="PodSecurity"):
        client.create(pod, namespace="ml-team")


def _gpu_pod(name: str, gpus: int) -> Pod:
    limits = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(gpus)}
    container = Container(
        name="main", image="example/image:1", resources=ResourceRequirements(limits=limits)
    )
    spec = PodSpec(
        containers=[container], tolerations=[Toleration(key="nvidia.com/gpu", operator="Exists")]
    )
    return Pod(metadata=ObjectMeta(name=name), spec=spec)


def _may(client: Client, group: str, act: Act, *, namespace: str) -> bool:
    resource, _, subresource = act.resource.partition("/")
    attributes = ResourceAttributes(
        group=act.group,
        resource=resource,
        subresource=subresource,
        verb=act.verb,
        namespace=namespace,
    )
    who = SubjectAccessReviewSpec(
        user="somebody", groups=[group, "system:authenticated"], resourceAttributes=attributes
    )
    status = client.create(SubjectAccessReview(metadata=ObjectMeta(), spec=who)).status
    assert status is not None
    return status.allowed
