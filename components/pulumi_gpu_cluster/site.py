"""The whole site file as one checked object."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pulumi_gpu_cluster.certificates.args import CertificatesArgs
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.control_plane.args import ControlPlaneArgs
from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs
from pulumi_gpu_cluster.health.args import HealthArgs
from pulumi_gpu_cluster.hosts.args import HostArgs, SshArgs
from pulumi_gpu_cluster.images import ImagesArgs
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs
from pulumi_gpu_cluster.network.args import NetworkArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.operations.args import OperationsArgs
from pulumi_gpu_cluster.reading.day import Day
from pulumi_gpu_cluster.scheduling.args import SchedulerArgs
from pulumi_gpu_cluster.section import DnsLabel, FrozenMap, Section
from pulumi_gpu_cluster.slurm.args import SlurmArgs
from pulumi_gpu_cluster.storage.args import StorageArgs
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.workloads.args import WorkloadsArgs


class AcceptArgs(Section):
    """A finding that the site knows about and lives with."""

    rule: str
    """Id of the rule, as the finding prints it."""

    path: str
    """Path of the finding, as it prints it."""

    reason: Annotated[str, StringConstraints(min_length=10, strip_whitespace=True)]
    """Why it is all right here."""

    until: Day | None = None
    """The last day on which it is accepted."""


class TeardownArgs(Section):
    """What `pulumi destroy` may take with it. Without this section it takes no data."""

    data: Literal["keep", "delete"] = "keep"
    """Whether tenants' namespaces and stored data may go."""

    crds: Literal["keep", "delete"] = "keep"
    """Whether CRDs, and with them every object of their kinds, may go."""

    confirm: str
    """The site's name once more."""


class Site(Section):
    """One GPU cluster."""

    name: DnsLabel
    """Name of the site; part of many names, never to be changed later."""

    control_plane: ControlPlaneArgs
    """Where the API server is, and who makes it."""

    ssh: SshArgs | None = None
    """How hosts are reached that the site builds: needed where `control_plane` is not
    `existing`."""

    hosts: FrozenMap[HostArgs] = Field(default_factory=dict)
    """What is special about single hosts, by their names. Those that are built over SSH have at
    least their host key here."""

    charts: ChartsArgs = Field(default_factory=ChartsArgs)
    """Where Helm charts come from."""

    images: ImagesArgs = Field(default_factory=ImagesArgs)
    """Where images of the GPU Operator, what it runs, and Node Feature Discovery come from."""

    node_pools: tuple[NodePoolArgs, ...] = Field(min_length=1)
    """The machines, pool by pool."""

    network: NetworkArgs = Field(default_factory=NetworkArgs)
    """CNI, Node Feature Discovery and Network Operator."""

    gpu_operator: GpuOperatorArgs = Field(default_factory=GpuOperatorArgs)
    """NVIDIA GPU Operator."""

    health: HealthArgs = Field(default_factory=HealthArgs)
    """Finding faults of nodes, and the gate that new GPU nodes pass."""
    certificates: CertificatesArgs | None = None
    """Certificates for operators' webhooks; by default cert-manager, where something needs it."""

    monitoring: MonitoringArgs | None = None
    """Prometheus, Alertmanager and Grafana. Without this section nothing is watched by us."""

    operations: OperationsArgs = Field(default_factory=OperationsArgs)
    """How long runs wait."""

    scheduler: SchedulerArgs = Field(default_factory=SchedulerArgs)
    """The batch scheduler that holds the tenants' queues."""

    slurm: SlurmArgs | None = None
    """Slurm, on the pools with `workload: slurm`."""
    storage: StorageArgs = Field(default_factory=StorageArgs)
    """Where volumes come from."""

    tenants: tuple[TenantArgs, ...] = ()
    """The teams that share the cluster."""

    workloads: WorkloadsArgs = Field(default_factory=WorkloadsArgs)
    """What people work with: notebooks."""

    teardown: TeardownArgs | None = None
    """What destroying the stack may take with it."""

    accept: tuple[AcceptArgs, ...] = ()
    """Findings that the site lives with."""

    @property
    def gives_up_data(self) -> bool:
        """Whether destroying the stack may take its users' data."""
        return self.teardown is not None and self.teardown.data == "delete"

    @property
    def gives_up_crds(self) -> bool:
        """Whether destroying the stack may take CRDs, and with them all objects of their kinds."""
        return self.teardown is not None and self.teardown.crds == "delete"
