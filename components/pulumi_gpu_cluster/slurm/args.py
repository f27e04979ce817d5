"""The site file's section on Slurm."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from pulumi_gpu_cluster.secret import Generated, Given
from pulumi_gpu_cluster.section import (
    SLURM_NAME,
    SLURM_TIME,
    UNIX_NAME,
    Bytes,
    DnsLabel,
    FrozenMap,
    Positive,
    Quantity,
    Section,
    Text,
)

SlurmTime = Annotated[str, Field(pattern=SLURM_TIME)]
"""A span of time as Slurm writes it, hours at least: 2-00:00:00."""


UnixName = Annotated[str, Field(pattern=UNIX_NAME)]
"""Name of a user on Slurm's nodes."""


class PartitionArgs(Section):
    """A partition: nodes that jobs are sent to under one name, with the time they may take."""

    name: Annotated[str, Field(pattern=SLURM_NAME)]
    """Name of the partition, as in `sbatch --partition`."""

    pools: tuple[DnsLabel, ...] = Field(min_length=1)
    """The pools whose nodes it has; each of them has `workload: slurm`."""

    max_time: SlurmTime = "2-00:00:00"
    """The longest a job may run, as days-hours:minutes:seconds."""

    default_time: SlurmTime = "0-01:00:00"
    """How long a job may run that names no time. Short, so that backfill has something to work
    with."""

    default: bool = False
    """Whether jobs that name no partition come here. Without one the first is it."""


class LoginArgs(Section):
    """Pods that people log in to by SSH, to submit jobs."""

    ssh_keys: tuple[Text, ...] = ()
    """Public keys of the administrators, who log in as root."""

    sssd_conf: Annotated[
        SecretStr | None,
        Given("the text of an sssd.conf that knows your users, from your directory", needed=False),
    ] = None
    """Where users come from: an sssd.conf. Without it the pods know nobody but root."""

    service: Literal["ClusterIP", "NodePort", "LoadBalancer"] = "ClusterIP"
    """How SSH is reached from outside; `ClusterIP`: it is not."""

    replicas: Positive = 1
    """How many such pods there are."""


class DatabaseArgs(Section):
    """The MariaDB that accounting is kept in."""

    storage: Bytes = "20Gi"
    """Size of its volume; a year of a busy cluster's jobs takes some 10Gi."""

    buffer_pool: Quantity = "4Gi"
    """Memory in which InnoDB keeps pages; Slurm asks for 4Gi at least."""

    operator_namespace: DnsLabel = "mariadb-system"
    """Namespace of the MariaDB operator."""

    password: Annotated[SecretStr | None, Generated("password")] = None
    """Password of Slurm's own user. It is kept in the volume too, so it never changes alone."""

    root_password: Annotated[SecretStr | None, Generated("password")] = None
    """Password of the database's root."""


class SlurmArgs(Section):
    """Slurm, run by the Slinky operator on the pools with `workload: slurm`."""

    partitions: tuple[PartitionArgs, ...] = Field(min_length=1)
    """The partitions; every Slurm pool is in one at least."""

    cluster_name: DnsLabel | None = None
    """Slurm's ClusterName, under which accounting knows the cluster; by default the site's name.
    Never to be changed later."""

    login: LoginArgs | None = None
    """Pods to log in to; none without this."""

    members: FrozenMap[tuple[UnixName, ...]] = Field(default_factory=dict)
    """Users of each tenant's account: {ml-team: [alice, bob]}. Who is in none can submit nothing.
    Someone taken out of the list keeps the right until `sacctmgr delete user`."""

    database: DatabaseArgs = Field(default_factory=DatabaseArgs)
    """The accounting database."""

    storage_class: DnsLabel | None = None
    """StorageClass of the volumes of database and controller; by default the cluster's own."""

    namespace: DnsLabel = "slurm"
    """Namespace of Slurm's daemons, nodes and database."""

    operator_namespace: DnsLabel = "slinky"
    """Namespace of the Slinky operator."""

    slurm_key: Annotated[SecretStr | None, Generated("key")] = None
    """Key by which Slurm's daemons know each other (auth/slurm)."""

    jwt_key: Annotated[SecretStr | None, Generated("key")] = None
    """Key that signs tokens for the REST API and for accounting."""
