"""The control plane's parts: how each is started and where it says that it is well."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gpu_cluster_sandbox.cluster.pki import FRONT_PROXY
from gpu_cluster_sandbox.cluster.ports import LOOPBACK
from gpu_cluster_sandbox.engine.cache import entry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from gpu_cluster_sandbox.cluster.layout import Layout
    from gpu_cluster_sandbox.controllers.catalogue import Controller

    Programs = Callable[[str], Path]

PART_NAMES: Final = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
)
"""The control plane in the order in which it starts; it stops in the reverse."""

SERVICES: Final = "services"
"""The part that leads from the API server to the controllers it asks."""

SIMULATED: Final = "kwok.x-k8s.io/node=fake"
"""The annotation that gives a node to kwok; it touches no other."""

SERVICE_RANGE: Final = "10.96.0.0/12"


@dataclass(frozen=True)
class Part:
    """One program of the control plane.

    Attributes:
        health: The path it answers with 200 at when it is well.
        identity: The client certificate for that question; "" where none is asked for.
        secure: Whether it serves TLS.
    """

    name: str
    command: tuple[str, ...]
    port: int
    health: str
    identity: str = ""
    secure: bool = True


def describe_parts(
    layout: Layout,
    programs: Programs,
    ports: Mapping[str, int],
    controllers: Collection[Controller] = (),
) -> tuple[Part, ...]:
    """All parts in the order in which they start, the operators' controllers last."""
    asked = [controller for controller in controllers if controller.webhooks]
    return (
        _etcd(layout, programs, ports),
        _api_server(layout, programs, ports, led=bool(asked)),
        _controller_manager(layout, programs, ports),
        _scheduler(layout, programs, ports),
        _kwok(layout, programs, ports),
        *([_services(layout, asked, ports)] if asked else []),
        *(_controller(layout, controller, ports) for controller in controllers),
    )


def _etcd(layout: Layout, programs: Programs, ports: Mapping[str, int]) -> Part:
    pki = layout.pki
    address = f"https://{LOOPBACK}:{ports['etcd']}"
    peer = f"https://{LOOPBACK}:{ports['etcd-peer']}"
    return Part(
        name="etcd",
        command=(
            str(programs("etcd")),
            f"--data-dir={layout.data}",
            f"--listen-client-urls={address}",
            f"--advertise-client-urls={address}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            f"--cert-file={pki.certificate('etcd')}",
            f"--key-file={pki.key('etcd')}",
            f"--trusted-ca-file={pki.certificate('etcd-ca')}",
            "--client-cert-auth=true",
            f"--peer-cert-file={pki.certificate('etcd')}",
            f"--peer-key-file={pki.key('etcd')}",
            f"--peer-trusted-ca-file={pki.certificate('etcd-ca')}",
            "--peer-client-cert-auth=true",
            # A crash of the machine may lose the last second: this data is thrown away anyway,
            # and without it every write waits for the disk.
            "--unsafe-no-fsync=true",
            "--auto-compaction-retention=1h",
            "--log-level=warn",
        ),
        port=ports["etcd"],
        health="/health",
        identity="apiserver-etcd",
    )


def _api_server(layout: Layout, programs: Programs, ports: Mapping[str, int], *, led: bool) -> Part:
    pki = layout.pki
    return Part(
        name="kube-apiserver",
        command=(
            str(programs("kube-apiserver")),
            f"--bind-address={LOOPBACK}",
            f"--secure-port={ports['kube-apiserver']}",
            f"--advertise-address={LOOPBACK}",
            # There is no address that pods could reach; none is published.
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={pki.certificate('apiserver')}",
            f"--tls-private-key-file={pki.key('apiserver')}",
            f"--client-ca-file={pki.certificate('ca')}",
            "--anonymous-auth=false",
            "--authorization-mode=Node,RBAC",
            # What kubeadm adds to the plugins that are on by default (ResourceQuota,
            # LimitRanger, PodSecurity, both kinds of webhook and policy among those).
            "--enable-admission-plugins=NodeRestriction",
            "--enable-bootstrap-token-auth=true",
            "--allow-privileged=true",
            f"--etcd-servers=https://{LOOPBACK}:{ports['etcd']}",
            f"--etcd-cafile={pki.certificate('etcd-ca')}",
            f"--etcd-certfile={pki.certificate('apiserver-etcd')}",
            f"--etcd-keyfile={pki.key('apiserver-etcd')}",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={pki.key('service-account')}",
            f"--service-account-signing-key-file={pki.key('service-account')}",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
            f"--requestheader-client-ca-file={pki.certificate('front-proxy-ca')}",
            f"--requestheader-allowed-names={FRONT_PROXY}",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--proxy-client-cert-file={pki.certificate('front-proxy')}",
            f"--proxy-client-key-file={pki.key('front-proxy')}",
            "--profiling=false",
            *([f"--egress-selector-config-file={layout.egress}"] if led else []),
        ),
        port=ports["kube-apiserver"],
        health="/readyz",
        identity="admin",
    )


def _controller_manager(layout: Layout, programs: Programs, ports: Mapping[str, int]) -> Part:
    pki = layout.pki
    return Part(
        name="kube-controller-manager",
        command=(
            str(programs("kube-controller-manager")),
            *_serving(layout, "kube-controller-manager", ports),
            "--controllers=*,bootstrap-signer-controller,token-cleaner-controller",
            "--use-service-account-credentials=true",
            f"--root-ca-file={pki.certificate('ca')}",
            f"--service-account-private-key-file={pki.key('service-account')}",
            f"--cluster-signing-cert-file={pki.certificate('ca')}",
            f"--cluster-signing-key-file={pki.key('ca')}",
        ),
        port=ports["kube-controller-manager"],
        health="/healthz",
    )


def _scheduler(layout: Layout, programs: Programs, ports: Mapping[str, int]) -> Part:
    return Part(
        name="kube-scheduler",
        command=(
            str(programs("kube-scheduler")),
            *_serving(layout, "kube-scheduler", ports),
        ),
        port=ports["kube-scheduler"],
        health="/healthz",
    )


def _serving(layout: Layout, name: str, ports: Mapping[str, int]) -> tuple[str, ...]:
    """What the two components that serve their own health and metrics have in common."""
    kubeconfig = layout.part_kubeconfig(name)
    return (
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        f"--bind-address={LOOPBACK}",
        f"--secure-port={ports[name]}",
        f"--tls-cert-file={layout.pki.certificate('components')}",
        f"--tls-private-key-file={layout.pki.key('components')}",
        # One of each: an election only delays the start.
        "--leader-elect=false",
        "--profiling=false",
    )


def _kwok(layout: Layout, programs: Programs, ports: Mapping[str, int]) -> Part:
    return Part(
        name="kwok",
        command=(
            str(programs("kwok")),
            f"--kubeconfig={layout.part_kubeconfig('kwok')}",
            # Stages are objects of the cluster: charts bring more of them, and kwok follows.
            "--enable-crds=Stage",
            # A user's own settings of kwok have no say here.
            "--config=/dev/null",
            f"--manage-nodes-with-annotation-selector={SIMULATED}",
            "--node-lease-duration-seconds=40",
            # The default has addresses for 254 pods.
            "--cidr=10.244.0.0/16",
            f"--server-address={LOOPBACK}:{ports['kwok']}",
            "--v=WARN",
        ),
        port=ports["kwok"],
        health="/healthz",
        secure=False,
    )


def _services(
    layout: Layout, controllers: Collection[Controller], ports: Mapping[str, int]
) -> Part:
    pki = layout.pki
    routes = [
        f"--route={one.webhooks.service}={ports[f'{one.program.name}-webhook']}"
        for one in controllers
        if one.webhooks
    ]
    return Part(
        name=SERVICES,
        command=(
            sys.executable,
            # The working directory's files must not be imported.
            "-P",
            "-m",
            "gpu_cluster_sandbox.controllers.services",
            f"--kubeconfig={layout.part_kubeconfig(SERVICES)}",
            f"--port={ports[SERVICES]}",
            f"--tls-cert-file={pki.certificate('components')}",
            f"--tls-private-key-file={pki.key('components')}",
            f"--client-ca-file={pki.certificate('front-proxy-ca')}",
            *routes,
        ),
        port=ports[SERVICES],
        health="/healthz",
        identity="front-proxy",
    )


def egress(layout: Layout, ports: Mapping[str, int]) -> dict[str, object]:
    """What the API server is told of the way to Services.

    source: kubernetes/kubernetes v1.36 apiserver/pkg/apis/apiserver/v1beta1
    """
    pki = layout.pki
    trust = {
        "caBundle": str(pki.certificate("ca")),
        "clientCert": str(pki.certificate("front-proxy")),
        "clientKey": str(pki.key("front-proxy")),
    }
    way = {"tcp": {"url": f"https://{LOOPBACK}:{ports[SERVICES]}", "tlsConfig": trust}}
    connection = {"proxyProtocol": "HTTPConnect", "transport": way}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": connection}],
    }


def _controller(layout: Layout, controller: Controller, ports: Mapping[str, int]) -> Part:
    name = controller.program.name
    return Part(
        name=name,
        command=(
            sys.executable,
            # The working directory's files must not be imported.
            "-P",
            "-m",
            "gpu_cluster_sandbox.controllers",
            name,
            f"--kubeconfig={layout.part_kubeconfig(name)}",
            f"--home={layout.controller_home(name)}",
            f"--port={ports[name]}",
            f"--probe-port={ports[f'{name}-probe']}",
            *([f"--webhook-port={ports[f'{name}-webhook']}"] if controller.webhooks else []),
            f"--program={entry(controller.program) / name}",
        ),
        port=ports[name],
        health="/healthz",
        secure=False,
    )
