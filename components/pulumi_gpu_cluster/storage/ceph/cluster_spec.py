"""What a CephCluster is told: which nodes and disks, how many daemons, and what they may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_gpu_cluster.catalog.versions import CEPH_IMAGE
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.storage.ceph.args import CephArgs

_HOSTNAME: Final = "kubernetes.io/hostname"
_MANAGERS: Final = 2
# source: rook/rook v1.20.6, cephclusters.ceph.rook.io, cleanupPolicy.confirmation
_DESTROY: Final = "yes-really-destroy-data"

# source: rook/rook v1.20.6, deploy/charts/rook-ceph-cluster/values.yaml: requests of CPU and
# memory, and the limit of memory. No limit on CPU: a daemon that is slowed down counts as dead.
_DAEMONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "mon": ("1", "1Gi", "2Gi"),
    "mgr": ("500m", "512Mi", "1Gi"),
    "mgr-sidecar": ("100m", "40Mi", "100Mi"),
    "crashcollector": ("100m", "60Mi", "60Mi"),
    "logcollector": ("100m", "100Mi", "1Gi"),
    "exporter": ("50m", "50Mi", "128Mi"),
    "cleanup": ("500m", "100Mi", "1Gi"),
    "cmd-reporter": ("500m", "100Mi", "1Gi"),
}


def cluster_spec(args: CephArgs, pools: Sequence[NodePoolArgs]) -> dict[str, Any]:
    """The spec of the site's CephCluster.

    Args:
        args: The site file's section.
        pools: The node pools that its nodes belong to, whose taints its daemons tolerate.
    """
    return {
        "cephVersion": {"image": CEPH_IMAGE, "allowUnsupported": False},
        "dataDirHostPath": "/var/lib/rook",
        "mon": {"count": args.monitors, "allowMultiplePerNode": False},
        "mgr": {"count": _MANAGERS, "allowMultiplePerNode": False},
        "dashboard": {"enabled": False},
        "crashCollector": {"disable": False},
        "logCollector": {"enabled": True, "periodicity": "daily", "maxLogSize": "500M"},
        # Kernels before 7.0 do not know the newer kind of key.
        "security": {"cephx": {"csi": {"keyType": "aes"}}},
        "network": _network(args),
        "placement": {"all": _placement(args, pools)},
        "resources": {name: _resources(*sizes) for name, sizes in _DAEMONS.items()}
        | {
            "osd": _resources("1", args.osd_memory, args.osd_memory),
            # It takes what it takes, once: with a limit it may be killed half-way.
            "prepareosd": {"requests": {"cpu": "500m", "memory": "50Mi"}},
        },
        "priorityClassNames": {
            "mon": "system-node-critical",
            "osd": "system-node-critical",
            "mgr": "system-cluster-critical",
        },
        "storage": _storage(args),
        # Drains wait until Ceph can do without the node.
        "disruptionManagement": {"managePodBudgets": True},
        "removeOSDsIfOutAndSafeToRemove": False,
        "cleanupPolicy": {
            "confirmation": _DESTROY if args.wipe else "",
            # A deletion waits until the last volume is gone, confirmed or not.
            "allowUninstallWithVolumes": False,
        },
    }


def _network(args: CephArgs) -> dict[str, Any]:
    traffic = args.encryption.traffic
    connections = {"encryption": {"enabled": traffic}, "requireMsgr2": traffic}
    provider = {"provider": "host"} if args.network == "host" else {}
    return {**provider, "connections": connections}


def _placement(args: CephArgs, pools: Sequence[NodePoolArgs]) -> dict[str, Any]:
    """On the storage nodes and nowhere else, whatever taints keep others off them."""
    here = {"key": _HOSTNAME, "operator": "In", "values": list(args.node_names)}
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [here]}]
            }
        },
        "tolerations": agent_tolerations(pools),
    }


def _storage(args: CephArgs) -> dict[str, Any]:
    """Named disks of named nodes: what Rook finds by itself may be a job's scratch space."""
    return {
        "useAllNodes": False,
        "useAllDevices": False,
        "config": {"encryptedDevice": "true" if args.encryption.disks else "false"},
        "nodes": [
            {"name": node, "devices": [{"name": device} for device in args.devices_of(node)]}
            for node in args.node_names
        ],
    }


def _resources(cpu: str, memory: str, most_memory: str) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": most_memory}}
