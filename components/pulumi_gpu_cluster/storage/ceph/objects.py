"""Rook's objects, one function per kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.storage.ceph.args import (
    CephFilesystemArgs,
    CephObjectsArgs,
    CephPoolArgs,
)

CLUSTER: Final = "ceph"
BLOCK_POOL: Final = "block"
FILESYSTEM: Final = "files"
OBJECT_STORE: Final = "objects"
DATA: Final = "data"
"""Names of the objects. They stand in volumes that exist, so they never change."""

_API: Final = "ceph.rook.io/v1"
# Rook says so of each of its objects once Ceph has what the object asks for.
_UNTIL_READY: Final = {"pulumi.com/waitFor": "jsonpath={.status.phase}=Ready"}
# Disks are prepared one after the other, and a deletion waits for what is still in use.
_PATIENCE: Final = pulumi.CustomTimeouts(create="30m", update="30m", delete="30m")
_GATEWAY_PORT: Final = 80


def ceph_cluster(
    name: str, namespace: str, spec: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> CustomResource:
    """The cluster itself; there once its monitors agree and its disks are taken in."""
    return _object(name, "CephCluster", (namespace, CLUSTER), spec, opts)


def block_pool(
    name: str, namespace: str, pool_name: str, spec: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> CustomResource:
    """A pool of block devices, or of their data."""
    return _object(name, "CephBlockPool", (namespace, pool_name), spec, opts)


def filesystem(
    name: str, namespace: str, args: CephFilesystemArgs, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The shared file system, which outlives its object in Ceph."""
    spec = {
        "metadataPool": replicated(args),
        # The first data pool holds what cannot be cut into pieces.
        "dataPools": [
            {"name": "default", **replicated(args)},
            *([{"name": DATA, **pieces(args)}] if args.erasure is not None else []),
        ],
        "metadataServer": {
            "activeCount": args.metadata_servers,
            "activeStandby": True,
            "priorityClassName": "system-cluster-critical",
            "resources": {
                "requests": {"cpu": "1", "memory": "4Gi"},
                "limits": {"memory": "4Gi"},
            },
        },
        "preserveFilesystemOnDelete": True,
    }
    return _object(name, "CephFilesystem", (namespace, FILESYSTEM), spec, opts)


def filesystem_data_pool(args: CephFilesystemArgs) -> str:
    """The pool that volumes of the file system keep their data in, as Ceph calls it."""
    return f"{FILESYSTEM}-{DATA if args.erasure is not None else 'default'}"


def subvolume_group(name: str, namespace: str, opts: pulumi.ResourceOptions) -> CustomResource:
    """The folder of the file system that holds all volumes."""
    spec = {"name": "csi", "filesystemName": FILESYSTEM, "pinning": {"distributed": 1}}
    place = (namespace, f"{FILESYSTEM}-csi")
    return _object(name, "CephFilesystemSubVolumeGroup", place, spec, opts)


def object_store(
    name: str, namespace: str, args: CephObjectsArgs, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The object store, reached inside the cluster only; its pools outlive its object."""
    spec = {
        "metadataPool": replicated(args),
        "dataPool": pieces(args),
        "preservePoolsOnDelete": True,
        "gateway": {
            "port": _GATEWAY_PORT,
            "instances": args.gateways,
            "priorityClassName": "system-cluster-critical",
            "resources": {
                "requests": {"cpu": "1", "memory": "1Gi"},
                "limits": {"memory": "2Gi"},
            },
        },
    }
    return _object(name, "CephObjectStore", (namespace, OBJECT_STORE), spec, opts)


def replicated(args: CephPoolArgs) -> dict[str, Any]:
    """A pool of whole copies, each on another host."""
    safe = {"size": args.replicas, "requireSafeReplicaSize": True}
    return {"failureDomain": "host", "replicated": safe}


def pieces(args: CephPoolArgs) -> dict[str, Any]:
    """A pool of pieces where the site cuts the data, else of copies; each on another host."""
    if args.erasure is None:
        return replicated(args)
    chunks = {"dataChunks": args.erasure.data, "codingChunks": args.erasure.coding}
    return {"failureDomain": "host", "erasureCoded": chunks}


def _object(
    name: str,
    kind: str,
    place: tuple[str, str],
    spec: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    namespace, object_name = place
    return CustomResource(
        name,
        api_version=_API,
        kind=kind,
        metadata={"name": object_name, "namespace": namespace, "annotations": dict(_UNTIL_READY)},
        spec=dict(spec),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=_PATIENCE)),
    )
