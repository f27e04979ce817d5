"""Who gets at the embedded cluster, and what it admits."""

from __future__ import annotations

import http.client
import ssl
from pathlib import Path
from typing import Any

import pytest
from cluster_probes import has_account, listening_addresses
from lightkube import ApiError, Client, KubeConfig
from lightkube.models.core_v1 import (
    Container,
    NodeSpec,
    PodSpec,
    ResourceQuotaSpec,
    ResourceRequirements,
    SecurityContext,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import (
    Namespace,
    Node,
    Pod,
    ResourceQuota,
    Secret,
)
from plugin_process import eventually

from gpu_cluster_sandbox.cluster import Cluster, pki
from gpu_cluster_sandbox.cluster.kubeconfig import write_kubeconfig


@pytest.fixture
def cluster(bare_cluster: Cluster) -> Cluster:
    return bare_cluster


@pytest.fixture
def state(cluster: Cluster) -> Path:
    return cluster.kubeconfig.parent


@pytest.fixture(scope="module")
def admin(bare_cluster: Cluster) -> Client:
    return bare_cluster.client()


@pytest.fixture(scope="module")
def namespace(admin: Client) -> str:
    admin.create(Namespace(metadata=ObjectMeta(name="team")))
    # The controller manager makes it; a pod is refused before that.
    assert eventually(lambda: has_account(admin, "team"))
    return "team"


def port(cluster: Cluster, name: str) -> int:
    return next(part.port or 0 for part in cluster.status() if part.name == name)


def status(port: int, path: str, context: ssl.SSLContext) -> int:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def trusting(state: Path, authority: str, identity: str = "") -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(state / "pki" / f"{authority}.crt"))
    if identity:
        certificate, key = (state / "pki" / f"{identity}.{ending}" for ending in ("crt", "key"))
        context.load_cert_chain(certificate, key)
    return context


def test_every_part_listens_on_loopback_only(cluster: Cluster) -> None:
    for part in cluster.status():
        assert part.pid
        assert listening_addresses(part.pid) == {"127.0.0.1"}, part.name


def test_the_api_server_speaks_tls_only(cluster: Cluster) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port(cluster, "kube-apiserver"))
    connection.request("GET", "/readyz")
    assert connection.getresponse().status == http.client.BAD_REQUEST
    connection.close()


@pytest.mark.parametrize("path", ["/version", "/readyz", "/api/v1/secrets"])
def test_the_api_server_answers_nobody_without_a_certificate(
    cluster: Cluster, state: Path, path: str
) -> None:
    api = port(cluster, "kube-apiserver")
    assert status(api, path, trusting(state, "ca")) == http.client.UNAUTHORIZED
    assert status(api, path, trusting(state, "ca", "admin")) == http.client.OK


def test_a_clients_certificate_does_not_open_etcd(cluster: Cluster, state: Path) -> None:
    etcd = port(cluster, "etcd")
    for identity in ("", "admin", "kwok"):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            status(etcd, "/health", trusting(state, "etcd-ca", identity))
    assert status(etcd, "/health", trusting(state, "etcd-ca", "apiserver-etcd")) == http.client.OK


@pytest.mark.parametrize("part", ["kube-scheduler", "kwok"])
def test_parts_have_their_own_rights_and_not_the_administrators(
    cluster: Cluster, state: Path, part: str
) -> None:
    client: Any = Client(KubeConfig.from_file(state / "run" / f"{part}.kubeconfig"))
    assert list(client.list(Pod, namespace="*")) is not None
    with pytest.raises(ApiError) as caught:
        list(client.list(Secret, namespace="*"))
    assert caught.value.status.code == http.client.FORBIDDEN


def pod(name: str, *, gpus: int = 0, privileged: bool = False) -> Pod:
    resources = ResourceRequirements(limits={"nvidia.com/gpu": str(gpus)}) if gpus else None
    return Pod(
        metadata=ObjectMeta(name=name),
        spec=PodSpec(
            containers=[
                Container(
                    name="main",
                    image="example.org/none",
                    resources=resources,
                    securityContext=SecurityContext(privileged=privileged),
                )
            ]
        ),
    )


def refusal(admin: Client, wanted: Pod, namespace: str) -> str:
    with pytest.raises(ApiError) as caught:
        admin.create(wanted, namespace=namespace)
    assert caught.value.status.code == http.client.FORBIDDEN
    return str(caught.value.status.message)


def test_a_resource_quota_holds(admin: Client, namespace: str) -> None:
    admin.create(
        ResourceQuota(
            metadata=ObjectMeta(name="gpus", namespace=namespace),
            spec=ResourceQuotaSpec(hard={"requests.nvidia.com/gpu": "4"}),
        )
    )
    assert "exceeded quota: gpus" in refusal(admin, pod("big", gpus=5), namespace)
    admin.create(pod("small", gpus=4), namespace=namespace)


def test_pod_security_holds_where_a_namespace_asks_for_it(admin: Client) -> None:
    enforce = {"pod-security.kubernetes.io/enforce": "baseline"}
    admin.create(Namespace(metadata=ObjectMeta(name="guarded", labels=enforce)))
    assert eventually(lambda: has_account(admin, "guarded"))
    message = refusal(admin, pod("root", privileged=True), "guarded")
    assert 'violates PodSecurity "baseline' in message


def test_a_node_may_change_itself_only(admin: Client, cluster: Cluster, state: Path) -> None:
    for name in ("one", "two"):
        admin.create(Node(metadata=ObjectMeta(name=name), spec=NodeSpec()))
    node: Any = Client(KubeConfig.from_file(_node_kubeconfig(cluster, state, "one")))
    node.patch(Node, "one", {"metadata": {"labels": {"mine": "yes"}}})
    with pytest.raises(ApiError) as caught:
        node.patch(Node, "two", {"metadata": {"labels": {"mine": "yes"}}})
    assert "is not allowed to modify node" in str(caught.value.status.message)


def _node_kubeconfig(cluster: Cluster, state: Path, name: str) -> Path:
    keys = pki.Pki(state / "pki")
    identity = pki.Identity(f"node-{name}", user=f"system:node:{name}", group="system:nodes")
    keys.issue(identity)
    path = state / f"{name}.kubeconfig"
    write_kubeconfig(
        path,
        keys,
        identity.name,
        f"https://127.0.0.1:{port(cluster, 'kube-apiserver')}",
        "sandbox",
    )
    return path
