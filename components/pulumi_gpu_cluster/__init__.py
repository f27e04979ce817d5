"""One site file becomes one whole on-premises GPU cluster.

The names below are loaded when they are first used: reading and checking a site file must not
wait for the Pulumi SDK, nor need it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pulumi_gpu_cluster.certificates.args import CertificatesArgs
    from pulumi_gpu_cluster.certificates.component import CertManager
    from pulumi_gpu_cluster.charts import ChartsArgs
    from pulumi_gpu_cluster.cluster import GpuCluster
    from pulumi_gpu_cluster.control_plane.access import ClusterAccess
    from pulumi_gpu_cluster.control_plane.args import ControlPlaneArgs
    from pulumi_gpu_cluster.control_plane.component import ControlPlane
    from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs
    from pulumi_gpu_cluster.gpu_operator.component import GpuOperator
    from pulumi_gpu_cluster.health.args import GateArgs, HealthArgs, ProblemDetectorArgs
    from pulumi_gpu_cluster.health.gate import NodeGate
    from pulumi_gpu_cluster.health.problem_detector import ProblemDetector
    from pulumi_gpu_cluster.hosts.args import HostArgs, SshArgs
    from pulumi_gpu_cluster.monitoring.args import MonitoringArgs
    from pulumi_gpu_cluster.monitoring.component import Monitoring
    from pulumi_gpu_cluster.network.args import CniArgs, NetworkArgs
    from pulumi_gpu_cluster.network.cni.calico import Calico
    from pulumi_gpu_cluster.network.cni.cilium import Cilium
    from pulumi_gpu_cluster.network.discovery import NodeFeatureDiscovery
    from pulumi_gpu_cluster.network.operator.component import NetworkOperator
    from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
    from pulumi_gpu_cluster.node_pools.component import NodePool
    from pulumi_gpu_cluster.node_pools.guard import NodeGuard
    from pulumi_gpu_cluster.operations.args import OperationsArgs
    from pulumi_gpu_cluster.program import checked_site
    from pulumi_gpu_cluster.scheduling.args import SchedulerArgs
    from pulumi_gpu_cluster.scheduling.jobset.component import JobSet
    from pulumi_gpu_cluster.scheduling.kueue.component import Kueue
    from pulumi_gpu_cluster.scheduling.kueue.queue import KueueQueue
    from pulumi_gpu_cluster.scheduling.trainer.component import Trainer
    from pulumi_gpu_cluster.scheduling.volcano.component import Volcano
    from pulumi_gpu_cluster.scheduling.volcano.queue import VolcanoQueue
    from pulumi_gpu_cluster.site import Site
    from pulumi_gpu_cluster.slurm.accounts import Account
    from pulumi_gpu_cluster.slurm.args import SlurmArgs
    from pulumi_gpu_cluster.slurm.component import SlurmCluster, SlurmSecrets
    from pulumi_gpu_cluster.slurm.operators import MariadbOperator, SlurmOperator
    from pulumi_gpu_cluster.storage.args import StorageArgs
    from pulumi_gpu_cluster.storage.beegfs.component import BeegfsStorage
    from pulumi_gpu_cluster.storage.ceph.component import CephStorage
    from pulumi_gpu_cluster.tenancy.args import TenantArgs
    from pulumi_gpu_cluster.tenancy.component import Tenant
    from pulumi_gpu_cluster.tenancy.guard import TenantGuard
    from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs
    from pulumi_gpu_cluster.workloads.jupyterhub.component import JupyterHub

_HOMES: Final = {
    "Account": "slurm.accounts",
    "CertManager": "certificates.component",
    "CertificatesArgs": "certificates.args",
    "MariadbOperator": "slurm.operators",
    "SlurmArgs": "slurm.args",
    "SlurmCluster": "slurm.component",
    "SlurmOperator": "slurm.operators",
    "SlurmSecrets": "slurm.component",
    "Calico": "network.cni.calico",
    "BeegfsStorage": "storage.beegfs.component",
    "CephStorage": "storage.ceph.component",
    "ChartsArgs": "charts",
    "Cilium": "network.cni.cilium",
    "ClusterAccess": "control_plane.access",
    "CniArgs": "network.args",
    "ControlPlane": "control_plane.component",
    "ControlPlaneArgs": "control_plane.args",
    "GateArgs": "health.args",
    "GpuCluster": "cluster",
    "GpuOperator": "gpu_operator.component",
    "GpuOperatorArgs": "gpu_operator.args",
    "HostArgs": "hosts.args",
    "HealthArgs": "health.args",
    "JobSet": "scheduling.jobset.component",
    "Kueue": "scheduling.kueue.component",
    "JupyterHub": "workloads.jupyterhub.component",
    "JupyterHubArgs": "workloads.jupyterhub.args",
    "KueueQueue": "scheduling.kueue.queue",
    "NetworkArgs": "network.args",
    "NetworkOperator": "network.operator.component",
    "NodeFeatureDiscovery": "network.discovery",
    "Monitoring": "monitoring.component",
    "MonitoringArgs": "monitoring.args",
    "NodeGate": "health.gate",
    "NodeGuard": "node_pools.guard",
    "NodePool": "node_pools.component",
    "NodePoolArgs": "node_pools.args",
    "OperationsArgs": "operations.args",
    "ProblemDetector": "health.problem_detector",
    "ProblemDetectorArgs": "health.args",
    "SchedulerArgs": "scheduling.args",
    "Site": "site",
    "SshArgs": "hosts.args",
    "StorageArgs": "storage.args",
    "Tenant": "tenancy.component",
    "TenantGuard": "tenancy.guard",
    "TenantArgs": "tenancy.args",
    "Trainer": "scheduling.trainer.component",
    "Volcano": "scheduling.volcano.component",
    "VolcanoQueue": "scheduling.volcano.queue",
    "checked_site": "program",
}

__all__ = [
    "Account",
    "BeegfsStorage",
    "Calico",
    "CephStorage",
    "CertManager",
    "CertificatesArgs",
    "ChartsArgs",
    "Cilium",
    "ClusterAccess",
    "CniArgs",
    "ControlPlane",
    "ControlPlaneArgs",
    "GateArgs",
    "GpuCluster",
    "GpuOperator",
    "GpuOperatorArgs",
    "HealthArgs",
    "HostArgs",
    "JobSet",
    "JupyterHub",
    "JupyterHubArgs",
    "Kueue",
    "KueueQueue",
    "MariadbOperator",
    "Monitoring",
    "MonitoringArgs",
    "NetworkArgs",
    "NetworkOperator",
    "NodeFeatureDiscovery",
    "NodeGate",
    "NodeGuard",
    "NodePool",
    "NodePoolArgs",
    "OperationsArgs",
    "ProblemDetector",
    "ProblemDetectorArgs",
    "SchedulerArgs",
    "Site",
    "SlurmArgs",
    "SlurmCluster",
    "SlurmOperator",
    "SlurmSecrets",
    "SshArgs",
    "StorageArgs",
    "Tenant",
    "TenantArgs",
    "TenantGuard",
    "Trainer",
    "Volcano",
    "VolcanoQueue",
    "checked_site",
]


def __getattr__(name: str) -> object:
    """Loads a public name from the module it lives in."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
