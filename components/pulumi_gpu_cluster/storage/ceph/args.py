"""The site file's section on Ceph."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.section import (
    Bytes,
    DnsLabel,
    FrozenMap,
    Positive,
    Section,
    Text,
    shorthand,
)


class ErasureArgs(Section):
    """How data is cut into pieces that lie on different hosts."""

    data: Annotated[Positive, Field(ge=2)]
    """Pieces that hold data."""

    coding: Positive
    """Pieces that replace lost ones: so many hosts may fail."""


_PLUS: Final = "+"
_WANTED: Final = 'data and coding pieces such as "4+2"'


def _pieces(raw: object) -> object:
    """Takes `4+2`, as Ceph's people write it."""
    if isinstance(raw, str):
        parts = raw.split(_PLUS)
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):  # noqa: PLR2004 - a pair
            raise ValueError(f"is no erasure coding; write {_WANTED}")
        return {"data": int(parts[0]), "coding": int(parts[1])}
    return shorthand("data", wanted=_WANTED)(raw)


Erasure = Annotated[ErasureArgs, BeforeValidator(_pieces, json_schema_input_type=str | ErasureArgs)]


class CephPoolArgs(Section):
    """How one kind of Ceph storage keeps its data. Every copy lies on another host."""

    replicas: Positive = 3
    """Copies of everything; with `erasure`, of the metadata alone."""

    erasure: Erasure | None = None
    """Erasure coding of the data instead of copies, as data and coding pieces: `4+2` takes 6
    hosts, survives the loss of 2, and stores at 1.5 times the size."""

    storage_class: DnsLabel
    """Name of the StorageClass."""

    @property
    def overhead(self) -> Fraction:
        """Bytes on disk for each byte stored."""
        if self.erasure is None:
            return Fraction(self.replicas)
        return Fraction(self.erasure.data + self.erasure.coding, self.erasure.data)

    @property
    def hosts(self) -> int:
        """Hosts that it takes to keep all copies and pieces apart."""
        pieces = 0 if self.erasure is None else self.erasure.data + self.erasure.coding
        return max(self.replicas, pieces)


class CephBlockArgs(CephPoolArgs):
    """Block devices: a volume for one pod at a time, for databases and the like."""

    enabled: bool = True
    """Whether there are any."""

    storage_class: DnsLabel = "ceph-block"
    """Name of the StorageClass."""


class CephFilesystemArgs(CephPoolArgs):
    """A shared file system: volumes for many pods at once, for data sets and homes."""

    enabled: bool = True
    """Whether there is one."""

    storage_class: DnsLabel = "ceph-filesystem"
    """Name of the StorageClass."""

    metadata_servers: Positive = 1
    """Active metadata servers; each has a standby beside it."""


class CephObjectsArgs(CephPoolArgs):
    """An object store that speaks S3, for checkpoints and archives."""

    storage_class: DnsLabel = "ceph-bucket"
    """Name of the StorageClass that bucket claims name."""

    gateways: Positive = 2
    """Gateways that answer S3 requests, inside the cluster only."""


class CephEncryptionArgs(Section):
    """What Ceph encrypts."""

    disks: bool = False
    """Whether disks are encrypted (dm-crypt). Only for disks that are taken in afterwards; the
    keys lie in Secrets of the storage namespace."""

    traffic: bool = False
    """Whether Ceph's traffic is encrypted. Needs Linux 5.11 on every node that mounts volumes."""


class CephHostArgs(Section):
    """One host whose disks differ from those of the others."""

    devices: tuple[Text, ...] = Field(min_length=1)
    """The host's disks, by their names under /dev/disk/by-id."""


def _hostlist(text: str) -> str:
    expand(text)
    return text


class CephArgs(Section):
    """A Ceph cluster on named disks of named nodes, and on no others."""

    namespace: DnsLabel = "rook-ceph"
    """Namespace of Rook and Ceph, and first part of the CSI drivers' names; never to be changed
    once there are volumes."""

    nodes: Annotated[str, AfterValidator(_hostlist)]
    """The nodes that hold data, as a hostlist, for example st[1-4]. They are nodes of one of the
    site's pools; each runs monitors and managers too, as they are needed."""

    devices: tuple[Text, ...] = ()
    """Disks by their names under /dev/disk/by-id; each node gives those of them that it has.
    What is on them must be gone already: a disk that is not empty is left alone."""

    hosts: FrozenMap[CephHostArgs] = Field(default_factory=dict)
    """Nodes whose disks are listed one by one, by the node's name, instead of `devices`."""

    on_gpu_nodes: bool = False
    """Whether `nodes` may be GPU nodes, where recovery after a failed disk takes CPU, memory and
    network from jobs."""

    monitors: Positive = 3
    """Ceph monitors, each on a node of its own: an odd number, at least 3."""

    osd_memory: Bytes = "4Gi"
    """Memory of each disk's daemon."""

    network: Literal["pod", "host"] = "pod"
    """`pod`: Ceph talks over the cluster network. `host`: over the nodes' own, which is faster
    and past NetworkPolicies. Once it is `host`, it stays so."""

    encryption: CephEncryptionArgs = Field(default_factory=CephEncryptionArgs)
    """What Ceph encrypts; nothing by default."""

    capacity: Bytes | None = None
    """Raw size of all disks together, for example 400Ti: tenants' quotas are then held against
    what copies and pieces leave of it."""

    block: CephBlockArgs = Field(default_factory=CephBlockArgs)
    """Block devices."""

    filesystem: CephFilesystemArgs = Field(default_factory=CephFilesystemArgs)
    """The shared file system."""

    objects: CephObjectsArgs | None = None
    """The object store; none without this section."""

    wipe: tuple[Text, ...] = ()
    """Every disk once more, where the cluster is to be destroyed and its disks wiped for good.
    From the next run on Rook keeps the cluster no more and only waits for its deletion. Needs
    `teardown: {data: delete}`."""

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Names of the nodes that hold data."""
        return expand(self.nodes)

    def devices_of(self, node: str) -> tuple[str, ...]:
        """The disks that a node may give."""
        host = self.hosts.get(node)
        return self.devices if host is None else host.devices

    @property
    def every_device(self) -> tuple[str, ...]:
        """Every disk that is named, in the order of the file."""
        own = (device for host in self.hosts.values() for device in host.devices)
        return tuple(dict.fromkeys((*self.devices, *own)))
