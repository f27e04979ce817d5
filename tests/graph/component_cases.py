"""One way to make each component, for the tests that hold all of them to the same manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pulumi
import pulumi_kubernetes as kubernetes
from graph_sites import NOTEBOOKS, SLURM, STORAGE, site
from site_variants import VARIANTS

from pulumi_gpu_cluster import (
    BeegfsStorage,
    Calico,
    CephStorage,
    CertificatesArgs,
    CertManager,
    Cilium,
    ClusterAccess,
    CniArgs,
    ControlPlane,
    GpuCluster,
    GpuOperator,
    JobSet,
    JupyterHub,
    Kueue,
    KueueQueue,
    MariadbOperator,
    Monitoring,
    NetworkOperator,
    NodeFeatureDiscovery,
    NodeGate,
    NodeGuard,
    NodePool,
    ProblemDetector,
    SlurmCluster,
    SlurmOperator,
    SlurmSecrets,
    Tenant,
    TenantGuard,
    Trainer,
    Volcano,
    VolcanoQueue,
)
from pulumi_gpu_cluster.monitoring.targets import dcgm_exporter, scheduler
from pulumi_gpu_cluster.slurm.accounts import account_of
from pulumi_gpu_cluster.tenancy.shares import ceilings, shares
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import profiles

Maker = Callable[[str], pulumi.ComponentResource]


def provider_options(name: str) -> pulumi.ResourceOptions:
    """Options with a provider of this name's own, as for a cluster of its own."""
    return pulumi.ResourceOptions(provider=kubernetes.Provider(f"{name}-provider"))


def _cluster(name: str) -> GpuCluster:
    return GpuCluster(name, site())


def _control_plane(name: str) -> ControlPlane:
    return ControlPlane(name, site().control_plane, identifier=name)


def _node_guard(name: str) -> NodeGuard:
    return NodeGuard(name, opts=provider_options(name))


def _tenant_guard(name: str) -> TenantGuard:
    return TenantGuard(name, opts=provider_options(name))


def _node_pool(name: str) -> NodePool:
    return NodePool(name, site().node_pools[0], access=ClusterAccess(), opts=provider_options(name))


def _cilium(name: str) -> Cilium:
    return Cilium(name, CniArgs(kind="cilium"), opts=provider_options(name))


def _calico(name: str) -> Calico:
    return Calico(
        name, CniArgs(kind="calico", pod_cidr="10.244.0.0/16"), opts=provider_options(name)
    )


def _network_operator(name: str) -> NetworkOperator:
    pools = site(
        {
            ("node_pools", 0, "fabric"): "ndr400",
            ("node_pools", 1, "fabric"): {
                "link": "roce-200",
                "interfaces": ["ens1f0np0"],
                "addresses": "192.168.64.0/24",
            },
        }
    ).node_pools
    return NetworkOperator(
        name, namespace="nics", pools=pools, jobs="job", opts=provider_options(name)
    )


def _discovery(name: str) -> NodeFeatureDiscovery:
    return NodeFeatureDiscovery(
        name, namespace="discovery", tolerations=[], opts=provider_options(name)
    )


def _gpu_operator(name: str) -> GpuOperator:
    one = site()
    return GpuOperator(
        name, one.gpu_operator, pools=one.node_pools, jobs="job", opts=provider_options(name)
    )


def _problem_detector(name: str) -> ProblemDetector:
    one = site()
    return ProblemDetector(
        name, one.health.problem_detector, pools=one.node_pools, opts=provider_options(name)
    )


def _node_gate(name: str) -> NodeGate:
    one = site()
    opts = provider_options(name)
    nodes = NodePool(f"{name}-pool", one.node_pools[0], opts=opts).labelled
    return NodeGate(
        name,
        one.health.gate,
        pools=one.node_pools[:1],
        labelled=nodes,
        wait="30m",
        opts=opts,
    )


def _kueue(name: str) -> Kueue:
    one = site()
    return Kueue(
        name,
        one.scheduler,
        cohort_name=one.name,
        pools=one.node_pools,
        promised=list(shares(one).values()),
        opts=provider_options(name),
    )


def _kueue_queue(name: str) -> KueueQueue:
    one = site()
    return KueueQueue(
        name,
        one.tenants[0],
        cohort_name=one.name,
        pools=one.node_pools,
        shares=shares(one)["ml"],
        opts=provider_options(name),
    )


def _jobset(name: str) -> JobSet:
    return JobSet(name, opts=provider_options(name))


def _trainer(name: str) -> Trainer:
    return Trainer(name, scheduler="kueue", opts=provider_options(name))


def _monitoring(name: str) -> Monitoring:
    one = site(VARIANTS["monitoring"])
    assert one.monitoring is not None
    return Monitoring(
        name,
        one.monitoring,
        site_name=one.name,
        pools=one.node_pools,
        scheduler=one.scheduler.kind,
        targets=[dcgm_exporter("gpu-operator"), scheduler(one.scheduler)],
        contact={"ml": "oncall"},
        opts=provider_options(name),
    )


def _volcano(name: str) -> Volcano:
    one = site({("scheduler",): {"kind": "volcano"}})
    return Volcano(name, one.scheduler, pools=one.node_pools, opts=provider_options(name))


def _volcano_queue(name: str) -> VolcanoQueue:
    one = site()
    return VolcanoQueue(
        name,
        one.tenants[0],
        pools=one.node_pools,
        shares=shares(one)["ml"],
        opts=provider_options(name),
    )


def _jupyterhub(name: str) -> JupyterHub:
    one = site(NOTEBOOKS)
    hub = one.workloads.jupyterhub
    assert hub is not None
    return JupyterHub(
        name,
        hub,
        tenant=one.tenants[0],
        profiles=profiles(one, hub, one.tenants[0]),
        scheduler="kueue",
        key=hub.key.get_secret_value() if hub.key else "",
        client_secret="client-secret",  # noqa: S106 - a test's own
        opts=provider_options(name),
    )


def _ceph(name: str) -> CephStorage:
    one = site({("storage",): STORAGE, ("node_pools", 2, "nodes"): "st[1-6]"})
    assert one.storage.ceph is not None
    return CephStorage(name, one.storage.ceph, pools=one.node_pools, opts=provider_options(name))


def _beegfs(name: str) -> BeegfsStorage:
    one = site({("storage",): STORAGE})
    assert one.storage.beegfs is not None
    return BeegfsStorage(
        name, one.storage.beegfs, pools=one.node_pools, opts=provider_options(name)
    )


def _tenant(name: str) -> Tenant:
    one = site()
    tenant = one.tenants[1]
    return Tenant(name, tenant, ceilings=ceilings(one, tenant), opts=provider_options(name))


def _cert_manager(name: str) -> CertManager:
    return CertManager(name, CertificatesArgs(), opts=provider_options(name))


def _slurm_operator(name: str) -> SlurmOperator:
    return SlurmOperator(name, opts=provider_options(name))


def _mariadb_operator(name: str) -> MariadbOperator:
    return MariadbOperator(name, opts=provider_options(name))


def _slurm_cluster(name: str) -> SlurmCluster:
    one = site(SLURM)
    assert one.slurm is not None
    return SlurmCluster(
        name,
        one.slurm,
        cluster_name=name,
        pools=one.node_pools[:1],
        accounts=[account_of(tenant, one.node_pools) for tenant in one.tenants],
        secrets=SlurmSecrets("a2V5", "a2V5", "password", "password"),
        opts=provider_options(name),
    )


MAKERS: Mapping[str, Maker] = {
    "gpu-cluster:certificates:CertManager": _cert_manager,
    "gpu-cluster:slurm:MariadbOperator": _mariadb_operator,
    "gpu-cluster:slurm:SlurmCluster": _slurm_cluster,
    "gpu-cluster:slurm:SlurmOperator": _slurm_operator,
    "gpu-cluster:cluster:GpuCluster": _cluster,
    "gpu-cluster:control-plane:ControlPlane": _control_plane,
    "gpu-cluster:gpu-operator:GpuOperator": _gpu_operator,
    "gpu-cluster:network:Calico": _calico,
    "gpu-cluster:network:Cilium": _cilium,
    "gpu-cluster:network:NetworkOperator": _network_operator,
    "gpu-cluster:network:NodeFeatureDiscovery": _discovery,
    "gpu-cluster:health:NodeGate": _node_gate,
    "gpu-cluster:health:ProblemDetector": _problem_detector,
    "gpu-cluster:monitoring:Monitoring": _monitoring,
    "gpu-cluster:node-pools:NodeGuard": _node_guard,
    "gpu-cluster:node-pools:NodePool": _node_pool,
    "gpu-cluster:scheduling:JobSet": _jobset,
    "gpu-cluster:scheduling:Kueue": _kueue,
    "gpu-cluster:scheduling:KueueQueue": _kueue_queue,
    "gpu-cluster:scheduling:Trainer": _trainer,
    "gpu-cluster:scheduling:Volcano": _volcano,
    "gpu-cluster:scheduling:VolcanoQueue": _volcano_queue,
    "gpu-cluster:storage:BeegfsStorage": _beegfs,
    "gpu-cluster:storage:CephStorage": _ceph,
    "gpu-cluster:tenancy:Tenant": _tenant,
    "gpu-cluster:tenancy:TenantGuard": _tenant_guard,
    "gpu-cluster:workloads:JupyterHub": _jupyterhub,
}
"""By type token. Tokens lie in users' state, so this list only ever grows."""
