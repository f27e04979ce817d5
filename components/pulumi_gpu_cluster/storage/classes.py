"""The StorageClasses of a site: which there are, who makes them, and what they cost on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pulumi_gpu_cluster.storage.args import StorageArgs
from pulumi_gpu_cluster.storage.ceph.args import CephArgs, CephPoolArgs

Maker = Literal["ceph", "beegfs", "site"]


@dataclass(frozen=True, slots=True)
class ClassOfStorage:
    """One StorageClass.

    Attributes:
        name: Its name.
        path: The key of the site file that names it.
        maker: Whose it is; `site` for one that the cluster has already.
        overhead: Bytes on Ceph's disks for each byte stored; 0 where nothing is known.
        claims: Whether persistent volume claims name it; bucket claims do otherwise.
    """

    name: str
    path: str
    maker: Maker
    overhead: Fraction = Fraction(0)
    claims: bool = True


def storage_classes(storage: StorageArgs) -> tuple[ClassOfStorage, ...]:
    """Every StorageClass that the site knows of, in the order of the file."""
    return (
        *(_ceph(storage.ceph) if storage.ceph is not None else ()),
        *(_beegfs(storage)),
        *(
            ClassOfStorage(name, f"site.storage.classes[{index}]", "site")
            for index, name in enumerate(storage.classes)
        ),
    )


def ceph_pools(ceph: CephArgs) -> Iterator[tuple[str, CephPoolArgs]]:
    """What the Ceph cluster offers, each kind under its key."""
    if ceph.block.enabled:
        yield "block", ceph.block
    if ceph.filesystem.enabled:
        yield "filesystem", ceph.filesystem
    if ceph.objects is not None:
        yield "objects", ceph.objects


def _ceph(ceph: CephArgs) -> Iterator[ClassOfStorage]:
    for key, pool in ceph_pools(ceph):
        path = f"site.storage.ceph.{key}.storage_class"
        yield ClassOfStorage(
            pool.storage_class, path, "ceph", pool.overhead, claims=key != "objects"
        )


def _beegfs(storage: StorageArgs) -> Iterator[ClassOfStorage]:
    if storage.beegfs is not None:
        for index, one in enumerate(storage.beegfs.file_systems):
            path = f"site.storage.beegfs.file_systems[{index}].name"
            yield ClassOfStorage(one.name, path, "beegfs")


def driver_name(namespace: str, kind: str) -> str:
    """The CSI driver of a kind (rbd, cephfs): Rook takes those that begin with its namespace."""
    return f"{namespace}.{kind}.csi.ceph.com"
