"""The site file's section on storage: what tenants' claims can be served from."""

from __future__ import annotations

from pulumi_gpu_cluster.section import DnsLabel, Section
from pulumi_gpu_cluster.storage.beegfs.args import BeegfsArgs
from pulumi_gpu_cluster.storage.ceph.args import CephArgs


class StorageArgs(Section):
    """Where volumes come from: a Ceph cluster of our own, BeeGFS, or what is there already."""

    ceph: CephArgs | None = None
    """A Ceph cluster on the site's own disks, run by Rook; none without this section."""

    beegfs: BeegfsArgs | None = None
    """BeeGFS file systems that exist already, mounted for pods by the CSI driver."""

    classes: tuple[DnsLabel, ...] = ()
    """StorageClasses that the cluster has already, as on managed clouds, by their names: tenants'
    quotas can name them. We change nothing about them."""

    default_class: DnsLabel | None = None
    """The StorageClass made here that a claim without a class gets; none without this key."""
