"""Values of the rook-ceph and ceph-csi-drivers charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.storage.classes import driver_name

# source: rook/rook v1.20.6, deploy/charts/ceph-csi-drivers/values.yaml: the ConfigMap in which
# Rook's chart names the drivers' images
_IMAGES: Final = "rook-csi-operator-image-set-configmap"
_KINDS: Final = ("rbd", "cephfs")
_OTHER_KINDS: Final = ("nfs", "nvmeof")


def operator_values(storage_pools: Sequence[NodePoolArgs]) -> dict[str, Any]:
    """Values of rook-ceph. Whether its CRDs are its own is no choice: they always are.

    Args:
        storage_pools: The pools of the storage nodes, which may be the only ones without jobs.
    """
    return {"tolerations": agent_tolerations(storage_pools)}


def driver_values(
    namespace: str, pools: Sequence[NodePoolArgs], storage_pools: Sequence[NodePoolArgs]
) -> dict[str, Any]:
    """Values of ceph-csi-drivers.

    What the node plugins tolerate is said to each driver: the chart writes an empty list into
    every one of them, and an empty list beats the operator's default.

    Args:
        namespace: Namespace of Rook.
        pools: Every pool of the site, since a volume may be mounted on any node.
        storage_pools: The pools of the storage nodes.
    """
    driver = {
        "enabled": True,
        "imageSet": {"name": _IMAGES},
        # Without the snapshot CRDs the snapshotter beside the driver would not start.
        "snapshotPolicy": "none",
        "nodePlugin": {
            "priorityClassName": "system-node-critical",
            "tolerations": agent_tolerations(pools),
            "resources": {
                "registrar": _resources("10m", "32Mi", "128Mi"),
                "plugin": _resources("100m", "256Mi", "1Gi"),
            },
        },
        "controllerPlugin": {
            "priorityClassName": "system-cluster-critical",
            "replicas": 2,
            "tolerations": agent_tolerations(storage_pools),
            "resources": {
                **{
                    name: _resources("50m", "64Mi", "256Mi")
                    for name in ("provisioner", "attacher", "resizer")
                },
                "plugin": _resources("100m", "256Mi", "1Gi"),
            },
        },
    }
    return {
        "operatorConfig": {
            "namespace": namespace,
            "driverSpecDefaults": {"imageSet": {"name": _IMAGES}},
        },
        "drivers": {
            **{kind: {**driver, "name": driver_name(namespace, kind)} for kind in _KINDS},
            **{kind: {"enabled": False} for kind in _OTHER_KINDS},
        },
    }


def _resources(cpu: str, memory: str, most_memory: str) -> Mapping[str, Mapping[str, str]]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": most_memory}}
