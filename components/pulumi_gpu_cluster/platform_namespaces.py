"""Namespaces that the platform takes for itself, in one list that rules can ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pulumi_gpu_cluster.certificates.args import CertificatesArgs
from pulumi_gpu_cluster.network.namespaces import cni_namespaces
from pulumi_gpu_cluster.workloads.jupyterhub.names import hub_namespace
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import hub_tenants

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site


class PlatformNamespace(NamedTuple):
    """A namespace that belongs to a part of the platform.

    Attributes:
        name: The namespace.
        owner: Whose it is, as people call it.
        path: The key of the site file that can move it.
    """

    name: str
    owner: str
    path: str


def platform_namespaces(site: Site) -> tuple[PlatformNamespace, ...]:
    """Every namespace that the site's platform takes."""
    return (
        *_frameworks(site),
        PlatformNamespace(
            site.gpu_operator.namespace, "the GPU Operator", "site.gpu_operator.namespace"
        ),
        *_of_health(site),
        PlatformNamespace(
            site.scheduler.release_namespace, "the scheduler", "site.scheduler.namespace"
        ),
        *_of_the_network(site),
        *_of_hubs(site),
        *_of_monitoring(site),
        *_of_slurm(site),
        *_of_storage(site),
    )


def _of_the_network(site: Site) -> Iterator[PlatformNamespace]:
    for name in cni_namespaces(site.network.cni):
        yield PlatformNamespace(name, "the CNI", "site.network.cni")
    yield PlatformNamespace(
        site.network.discovery_namespace,
        "Node Feature Discovery",
        "site.network.discovery_namespace",
    )
    yield PlatformNamespace(
        site.network.operator_namespace,
        "the Network Operator",
        "site.network.operator_namespace",
    )


def _of_slurm(site: Site) -> Iterator[PlatformNamespace]:
    slurm, certificates = site.slurm, site.certificates or CertificatesArgs()
    needed = slurm is not None or site.certificates is not None
    if needed and certificates.manager == "install":
        yield PlatformNamespace(
            certificates.namespace, "cert-manager", "site.certificates.namespace"
        )
    if slurm is not None:
        database = slurm.database.operator_namespace
        yield PlatformNamespace(slurm.namespace, "Slurm", "site.slurm.namespace")
        yield PlatformNamespace(
            slurm.operator_namespace, "the Slinky operator", "site.slurm.operator_namespace"
        )
        yield PlatformNamespace(
            database, "the MariaDB operator", "site.slurm.database.operator_namespace"
        )


def _of_health(site: Site) -> Iterator[PlatformNamespace]:
    detector = site.health.problem_detector
    if detector.enabled:
        path = "site.health.problem_detector.namespace"
        yield PlatformNamespace(detector.namespace, "node-problem-detector", path)
    if site.health.gate.enabled:
        yield PlatformNamespace(
            site.health.gate.namespace, "the gate of new nodes", "site.health.gate.namespace"
        )


def _frameworks(site: Site) -> tuple[PlatformNamespace, ...]:
    """Of controllers that stay where their projects put them."""
    scheduler = site.scheduler
    there = (
        (scheduler.with_jobset, "jobset-system", "JobSet", "site.scheduler.jobset"),
        (scheduler.trainer, "kubeflow-system", "Kubeflow Trainer", "site.scheduler.trainer"),
    )
    return tuple(PlatformNamespace(*taken) for on, *taken in there if on)


def _of_hubs(site: Site) -> Iterator[PlatformNamespace]:
    for tenant in hub_tenants(site):
        path = "site.workloads.jupyterhub.tenants"
        yield PlatformNamespace(hub_namespace(tenant.name), "JupyterHub", path)


def _of_monitoring(site: Site) -> Iterator[PlatformNamespace]:
    if site.monitoring is not None:
        yield PlatformNamespace(
            site.monitoring.namespace, "monitoring", "site.monitoring.namespace"
        )


def _of_storage(site: Site) -> Iterator[PlatformNamespace]:
    for owner, key in (("Ceph", "ceph"), ("BeeGFS", "beegfs")):
        part = getattr(site.storage, key)
        if part is not None:
            yield PlatformNamespace(part.namespace, owner, f"site.storage.{key}.namespace")
