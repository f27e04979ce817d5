"""What each StorageClass of Ceph is told."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.storage.ceph.args import CephBlockArgs, CephFilesystemArgs
from pulumi_gpu_cluster.storage.ceph.objects import (
    BLOCK_POOL,
    DATA,
    FILESYSTEM,
    OBJECT_STORE,
    filesystem_data_pool,
)

_KEY: Final = "csi.storage.k8s.io"
# Which of the two accounts does what.
_STEPS: Final = {
    "provisioner": "provisioner",
    "controller-expand": "provisioner",
    "controller-publish": "provisioner",
    "node-stage": "node",
}


def block_parameters(namespace: str, args: CephBlockArgs) -> dict[str, str]:
    """Block devices: which pool, and ext4 on them, which a full pool does not lock up."""
    return {
        "clusterID": namespace,
        "pool": BLOCK_POOL,
        **({"dataPool": f"{BLOCK_POOL}-{DATA}"} if args.erasure is not None else {}),
        "imageFormat": "2",
        "imageFeatures": "layering",
        **_accounts(namespace, "rbd"),
        f"{_KEY}/fstype": "ext4",
    }


def filesystem_parameters(namespace: str, args: CephFilesystemArgs) -> dict[str, str]:
    """Files: which file system, and which of its pools."""
    return {
        "clusterID": namespace,
        "fsName": FILESYSTEM,
        "pool": filesystem_data_pool(args),
        **_accounts(namespace, "cephfs"),
    }


def bucket_parameters(namespace: str) -> dict[str, str]:
    """Buckets: which object store."""
    return {"objectStoreName": OBJECT_STORE, "objectStoreNamespace": namespace}


def bucket_provisioner(namespace: str) -> str:
    """The part of Rook that makes buckets."""
    return f"{namespace}.ceph.rook.io/bucket"


def _accounts(namespace: str, kind: str) -> dict[str, str]:
    """The Secrets with the accounts that Rook makes for the CSI driver."""
    return {
        f"{_KEY}/{step}-secret-{what}": text
        for step, account in _STEPS.items()
        for what, text in (("name", f"rook-csi-{kind}-{account}"), ("namespace", namespace))
    }
