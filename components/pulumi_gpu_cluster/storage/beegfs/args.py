"""The site file's section on BeeGFS."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from pulumi_gpu_cluster.hosts.args import Address
from pulumi_gpu_cluster.secret import Given
from pulumi_gpu_cluster.section import (
    BEEGFS_PATH,
    CHUNK_SIZE,
    INTERFACE,
    OCTAL_MODE,
    DnsLabel,
    FrozenMap,
    Positive,
    Section,
    Text,
    Whole,
)


class BeegfsStripeArgs(Section):
    """How the files of new volumes are spread over storage targets; BeeGFS decides the rest."""

    targets: Positive | None = None
    """Over how many targets a file is spread."""

    chunk_size: Annotated[str, Field(pattern=CHUNK_SIZE)] | None = None
    """Size of a piece, as BeeGFS writes it, for example 512k or 1m."""

    storage_pool: Positive | None = None
    """Number of the storage pool that files lie in."""


class BeegfsFileSystemArgs(Section):
    """One BeeGFS file system, and the StorageClass that makes volumes in it."""

    name: DnsLabel
    """Name of the StorageClass, for example beegfs-scratch."""

    management: Address
    """Host name or address of the management service (sysMgmtdHost), as seen from the nodes."""

    path: Annotated[str, Field(pattern=BEEGFS_PATH)]
    """Directory in the file system below which volumes are made. One that no other cluster
    uses."""

    auth: Annotated[
        SecretStr | None,
        Given(
            "the content of the file system's connAuthFile, in base64 with auth_encoding: base64"
        ),
    ] = None
    """What connections prove themselves with: the content of the connAuthFile, as a secret."""

    auth_encoding: Literal["raw", "base64"] = "raw"
    """How `auth` is written; base64 for a file that is no text."""

    certificate: Text | None = None
    """The management service's TLS certificate in PEM. Without it the driver speaks without TLS,
    silently; BeeGFS 7 has none."""

    user_id: Whole = 0
    """Number of the user that owns new volumes."""

    group_id: Whole = 0
    """Number of the group that owns new volumes: pods that write need it, or be root."""

    mode: Annotated[str, Field(pattern=OCTAL_MODE)] = "2770"
    """Access rights of new volumes, in quotes. The driver's own default lets everybody write who
    sees the file system, people on login nodes among them."""

    stripe: BeegfsStripeArgs = Field(default_factory=BeegfsStripeArgs)
    """How files are spread."""

    interfaces: tuple[Annotated[str, Field(pattern=INTERFACE)], ...] = ()
    """Network interfaces that the client uses, the best one first; all where empty."""

    client: FrozenMap[str] = Field(default_factory=dict)
    """Settings of beegfs-client.conf for this file system, each a text, for example connUseRDMA:
    "true"."""


class BeegfsArgs(Section):
    """The BeeGFS CSI driver. The nodes bring the client: beegfs-client-dkms and beegfs-tools."""

    namespace: DnsLabel = "beegfs-csi"
    """Namespace of the driver."""

    pools: tuple[DnsLabel, ...] = ()
    """Node pools whose nodes have the BeeGFS client; all of them where empty."""

    file_systems: tuple[BeegfsFileSystemArgs, ...] = Field(min_length=1)
    """The file systems."""
