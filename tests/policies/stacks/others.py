"""The faults that the first stack has no room for: one of each rule that is left."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml
from pulumi_command import local
from written import GPU, Cluster

CONFIG: dict[str, dict[str, Any]] = {
    "gpu-cluster": {
        "tenantSelector": {"team": "*"},
        "boards": {"odd": "B200-SXM-180GB", "all": "B200-SXM-180GB"},
        "layouts": {"mixture": {"1g.10gb": 2, "3g.40gb": 1}},
        "scheduler": "none",
        "asOf": "2026-12-01",
    },
}
FAULTS = (
    "mig-layout-does-not-fit",
    "mig-layout-not-in-config-map",
    "mig-single-with-mixed-layout",
    "mps-on-mig",
    "driver-without-selector",
    "driver-not-in-catalogue",
    "driver-below-board-minimum",
    "operator-driver-on-managed-nodes",
    "peermem-without-ofed",
    "slurm-without-cgroup-constraints",
    "slurm-without-accounting",
    "slurm-partition-without-times",
    "slurm-gres-differs-from-pool",
    "ceph-mons-on-one-host",
    "ceph-pool-size-one",
    "data-class-deletes",
    "database-without-backup",
    "etcd-without-backup",
    "alerts-without-route",
    "release-without-version",
    "kueue-gpu-not-covered",
    "volcano-capability-incomplete",
    "volcano-guarantees-over-capacity",
    "queue-amounts-out-of-order",
)


def make() -> None:
    """Makes the stack: a cluster for each corner, as each has its own pools."""
    _layouts(Cluster("layouts"))
    _drivers(Cluster("drivers"))
    _slurm(Cluster("slurm"))
    _storage(Cluster("storage"))
    _queues(Cluster("queues"))
    _rest(Cluster("rest"))


class Pool(pulumi.ComponentResource):
    """A node pool as our component registers one."""

    def __init__(self, cluster: Cluster, name: str, props: dict[str, Any]) -> None:
        props = {"name": name, "selector": {"pool": name}, **props}
        super().__init__("gpu-cluster:node-pools:NodePool", f"{cluster.name}-{name}", props)
        k8s.core.v1.ConfigMap(
            f"{cluster.name}-{name}-of",
            metadata={"name": f"pool-{name}", "namespace": "kube-system"},
            opts=pulumi.ResourceOptions(parent=self, provider=cluster.provider),
        )
        self.register_outputs(props)


def _layouts(cluster: Cluster) -> None:
    a100 = {"gpu": {"model": "A100-SXM4-40GB", "count": 8}, "resources": {}, "nodes": 1}
    # mig-layout-does-not-fit
    mig = {"layout": "all-3g.40gb", "strategy": "mixed"}
    Pool(cluster, "wrong", {**a100, "mig": mig, "driver": {"source": "host", "version": ""}})
    held: dict[str, Any] = {"mig-configs": {"all-disabled": [], "mixture": [], "all-3g.40gb": []}}
    cluster.config_map("layouts", "gpu-operator", {"config.yaml": yaml.safe_dump(held)})
    h100 = "NVIDIA-H100-80GB-HBM3"
    cluster.node("n1", layout="mixture", **{"nvidia.com/gpu.product": h100})
    # mig-layout-not-in-config-map
    cluster.node("n2", layout="all-1g.10gb", **{"nvidia.com/gpu.product": h100})
    cluster.node("n3", layout="all-3g.40gb", plugin="shared", **{"nvidia.com/gpu.product": h100})
    mps = {
        "sharing": {"mps": {"renameByDefault": True, "resources": [{"name": GPU, "replicas": 2}]}}
    }
    cluster.config_map("plugin", "gpu-operator", {"shared": yaml.safe_dump(mps)})  # mps-on-mig
    cluster.release(
        "gpu-operator",
        {
            "driver": {"enabled": False},
            "mig": {"strategy": "single"},  # mig-single-with-mixed-layout
            "migManager": {"config": {"name": "layouts"}},
        },
        "gpu-operator",
    )


def _drivers(cluster: Cluster) -> None:
    Pool(
        cluster,
        "cloud",
        {
            "gpu": {"model": "L40S-48GB", "count": 4},
            "resources": {GPU: 4},
            "nodes": 1,
            "driver": {"source": "managed", "version": ""},
        },
    )
    driver = {"driverType": "gpu", "version": "580.173.02", "upgradePolicy": {"autoUpgrade": False}}
    api = "nvidia.com/v1alpha1"
    # operator-driver-on-managed-nodes
    cluster.custom(api, "NVIDIADriver", "cloud", {**driver, "nodeSelector": {"pool": "cloud"}})
    # driver-below-board-minimum
    old = {**driver, "nodeSelector": {"pool": "old"}, "version": "580.65.06"}
    Pool(
        cluster,
        "old",
        {
            "gpu": {"model": "B300-SXM-269GB", "count": 8},
            "mig": {"layout": "all-balanced", "strategy": "mixed"},
            "resources": {},
            "nodes": 1,
            "driver": {"source": "operator", "version": "580.65.06"},
        },
    )
    cluster.custom(api, "NVIDIADriver", "old", old)
    # driver-not-in-catalogue, peermem-without-ofed
    odd = {**driver, "nodeSelector": {"pool": "odd"}, "version": "599.10.01"}
    cluster.custom(api, "NVIDIADriver", "odd", {**odd, "rdma": {"enabled": True}})
    other = Cluster("drivers-2")
    Pool(other, "own", {"resources": {GPU: 8}, "driver": {"source": "operator", "version": ""}})
    cluster_wide = {**driver, "nodeSelector": {}}
    other.custom(api, "NVIDIADriver", "all", cluster_wide)  # driver-without-selector


def _slurm(cluster: Cluster) -> None:
    api = "slinky.slurm.net/v1beta1"
    lax = "CgroupPlugin=cgroup/v2\nConstrainCores=yes\nConstrainRAMSpace=yes\n"
    # slurm-without-cgroup-constraints
    cluster.config_map("files", "slurm", {"cgroup.conf": lax})
    cluster.custom(
        api,
        "Controller",
        "main",
        {
            "configFileRefs": [{"name": "files"}],  # slurm-without-accounting
            # slurm-partition-without-times
            "extraConf": "PartitionName=train Nodes=train MaxTime=2-00:00:00\n",
        },
        namespace="slurm",
    )
    limits = {"resources": {"limits": {GPU: 8}}}
    # slurm-gres-differs-from-pool
    spec = {"controllerRef": {"name": "main"}, "slurmd": limits, "extraConf": "Gres=gpu:h100:4"}
    cluster.custom(api, "NodeSet", "train", spec, namespace="slurm")
    cluster.custom(  # database-without-backup
        "k8s.mariadb.com/v1alpha1",
        "MariaDB",
        "accounting",
        {"storage": {"size": "20Gi"}},
        namespace="slurm",
        protect=True,
    )


def _storage(cluster: Cluster) -> None:
    api = "ceph.rook.io/v1"
    spec = {
        "mon": {"count": 3, "allowMultiplePerNode": True},  # ceph-mons-on-one-host
        "storage": {"useAllNodes": False, "useAllDevices": False},
    }
    cluster.custom(api, "CephCluster", "main", spec, namespace="rook-ceph", protect=True)
    one = {"replicated": {"size": 1}}  # ceph-pool-size-one
    cluster.custom(api, "CephBlockPool", "fast", one, namespace="rook-ceph", protect=True)
    k8s.storage.v1.StorageClass(  # data-class-deletes
        "fast",
        metadata={"name": "fast"},
        provisioner="rook-ceph.rbd.csi.ceph.com",
        reclaim_policy="Delete",
        opts=cluster.options(),
    )


def _queues(cluster: Cluster) -> None:
    Pool(
        cluster,
        "train",
        {
            "gpu": {"model": "H100-SXM5-80GB", "count": 8},
            "resources": {GPU: 8},
            "nodes": 2,
            "driver": {"source": "host", "version": ""},
        },
    )
    api = "scheduling.volcano.sh/v1beta1"
    # volcano-capability-incomplete
    cluster.custom(api, "Queue", "vision", {"weight": 1, "capability": {"cpu": 64}})
    # queue-amounts-out-of-order, volcano-guarantees-over-capacity: 20 of 16
    spec = {"weight": 2, "deserved": {GPU: 20}, "capability": {GPU: 16}}
    cluster.custom(api, "Queue", "speech", spec)
    other = Cluster("queues-2")
    Pool(other, "train", {"resources": {GPU: 8}, "nodes": 1})
    other.cluster_queue("cpus", {"cpu": 64})  # kueue-gpu-not-covered


def _rest(cluster: Cluster) -> None:
    # etcd-without-backup
    local.Command("control-plane", create="ssh cp1 kubeadm init --config /etc/kubeadm.yaml")
    own = {"admin": {"existingSecret": "grafana"}}
    cluster.release("kube-prometheus-stack", {"grafana": own}, "monitoring")  # alerts-without-route
    k8s.helm.v3.Release(  # release-without-version
        "triton",
        chart="charts/triton",
        version="^1.0.0",
        namespace="vision",
        opts=cluster.options(),
    )
