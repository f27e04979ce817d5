"""Ten stacks as people write them, on ten clusters, with nothing to be said against them."""

from __future__ import annotations

from typing import Any

import pulumi_kubernetes as k8s
import yaml
from written import GPU, MIG, Cluster

CONFIG: dict[str, dict[str, Any]] = {
    "gpu-cluster": {
        "tenantSelector": {"team": "*"},
        "managedNodes": False,
        "boards": {
            "mig01": "A100-SXM4-40GB",
            "train": "H100-SXM5-80GB",
            "serve": "A100-SXM4-40GB",
            "cluster-policy": "H100-SXM5-80GB",
            "lab-gpu-operator": "H100-SXM5-80GB",
        },
        "pools": {
            "train": {"nodes": 2, "resources": {GPU: 8}, "selector": {"pool": "train"}},
            "serve": {"nodes": 1, "resources": {MIG: 16}, "selector": {"pool": "serve"}},
        },
        "scheduler": "none",
        "asOf": "2026-12-01",
    },
    "cluster-admin-to-tenants": {"adminGroups": ["platform"]},
    "image-outside-registries": {
        "allowedRegistries": ["registry.example.org", "nvcr.io", "quay.io/prometheus"]
    },
    "data-class-deletes": {"scratchClasses": ["scratch*"]},
}
QUOTA = {
    f"requests.{GPU}": "8",
    f"requests.{MIG}": "0",
    "requests.memory": "512Gi",
    "limits.memory": "512Gi",
    "pods": "100",
}
RBAC = "rbac.authorization.k8s.io"


def make() -> None:
    """Makes all ten."""
    university(Cluster("university"))
    inference(Cluster("inference"))
    batch(Cluster("batch"))
    lab(Cluster("lab"))
    slices(Cluster("slices"))
    slurm(Cluster("hpc"))
    ceph(Cluster("ceph"))
    watched(Cluster("watched"))
    fabric(Cluster("fabric"))
    gateway(Cluster("gateway"))


def university(cluster: Cluster) -> None:
    """Two institutes with quotas and rights, and administrators above them."""
    for team in ("vision", "speech"):
        cluster.tenant(team, QUOTA)
        limit: Any = {
            "type": "Container",
            "default": {"memory": "4Gi", "cpu": "2"},
            "defaultRequest": {"memory": "1Gi", "cpu": "500m"},
            "max": {GPU: "8"},
        }
        k8s.core.v1.LimitRange(
            f"{cluster.name}-{team}-limits",
            metadata={"name": "limits", "namespace": team},
            spec={"limits": [limit]},
            opts=cluster.options(),
        )
        edit = {
            "api_groups": ["", "batch", "apps"],
            "resources": ["pods", "jobs", "deployments", "configmaps"],
            "verbs": ["get", "list", "watch", "create", "delete"],
        }
        cluster.role("Role", f"{team}-work", edit, team)
        watch = {
            "api_groups": ["kueue.x-k8s.io"],
            "resources": ["localqueues", "workloads"],
            "verbs": ["get", "list", "watch"],
        }
        cluster.role("Role", f"{team}-queues", watch, team)
    k8s.rbac.v1.ClusterRoleBinding(
        f"{cluster.name}-admins",
        metadata={"name": "admins"},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
        subjects=[
            {"api_group": RBAC, "kind": "Group", "name": "platform"},
            {"kind": "ServiceAccount", "name": "helm", "namespace": "kube-system"},
        ],
        opts=cluster.options(),
    )


def inference(cluster: Cluster) -> None:
    """A model server behind a service, with its secrets where they belong."""
    cluster.namespace("models", enforce="restricted")
    cluster.deployment(
        "llm",
        "models",
        image="nvcr.io/nvidia/tritonserver:25.10-py3",
        resources={"limits": {GPU: "1", "memory": "64Gi"}, "requests": {"memory": "64Gi"}},
        env=[
            {
                "name": "API_TOKEN",
                "value_from": {"secret_key_ref": {"name": "llm", "key": "token"}},
            },
            {"name": "TOKENIZERS_PARALLELISM", "value": "false"},
            {"name": "MODEL_URL", "value": "https://models.example.org/llm"},
        ],
        pod={"volumes": [{"name": "cache", "empty_dir": {"medium": "Memory"}}]},
    )
    k8s.core.v1.Secret(
        f"{cluster.name}-llm",
        metadata={"name": "llm", "namespace": "models"},
        string_data={"token": "kept-in-a-secret"},
        opts=cluster.options(),
    )
    cluster.release(
        "triton",
        {
            "image": {
                "repository": "nvcr.io/nvidia/tritonserver",
                "tag": "25.10-py3",
                "pullSecret": "registry",
            },
            "auth": {"existingSecret": "llm", "tokenKey": "token"},
            "resources": {"limits": {GPU: 1}},
            "securityContext": {"privileged": False, "runAsNonRoot": True},
        },
        "models",
    )


def batch(cluster: Cluster) -> None:
    """Kueue with two queues that share, and jobs that name theirs."""
    cluster.tenant("ml", QUOTA)
    cluster.cluster_queue("ml", {"cpu": 64, "memory": 512, GPU: 12, MIG: 8}, cohort="all")
    cluster.cluster_queue(
        "rest", {"cpu": 64, GPU: 4, MIG: 8}, cohort="all", fairSharing={"weight": "1"}
    )
    flavor = {"nodeLabels": {"node-group": "gpu"}}
    cluster.custom("kueue.x-k8s.io/v1beta2", "ResourceFlavor", "default", flavor)
    cluster.local_queue("ml", "ml")
    cluster.job("train", "ml", {"limits": {GPU: "4"}, "requests": {GPU: "4"}}, queue="main-ml")
    cluster.job("prepare", "ml", {"requests": {"cpu": "4"}})
    cluster.release("kueue", {"controllerManager": {"replicas": 2}}, "kueue-system")


def lab(cluster: Cluster) -> None:
    """The GPU Operator for one kind of node, its driver in the chart's values."""
    cluster.namespace("gpu-operator", enforce="privileged")
    cluster.release(
        "gpu-operator",
        {
            "driver": {
                "enabled": True,
                "version": "580.173.02",
                "upgradePolicy": {
                    "autoUpgrade": True,
                    "waitForCompletion": {"podSelector": "app=train"},
                },
            },
            "mig": {"strategy": "single"},
            "toolkit": {"enabled": True},
        },
        "gpu-operator",
    )
    cluster.custom(
        "nvidia.com/v1",
        "ClusterPolicy",
        "cluster-policy",
        {"driver": {"enabled": False}, "mig": {"strategy": "single"}},
    )


def slices(cluster: Cluster) -> None:
    """Drivers per pool, MIG from a ConfigMap of their own, and time slices under their own name."""
    driver = {"driverType": "gpu", "upgradePolicy": {"autoUpgrade": False}}
    for pool, version in (("train", "580.173.02"), ("serve", "595.91.07")):
        spec = {**driver, "version": version, "nodeSelector": {"pool": pool}}
        cluster.custom("nvidia.com/v1alpha1", "NVIDIADriver", pool, spec)
    held: dict[str, Any] = {"mig-configs": {"all-disabled": [], "all-3g.20gb": []}}
    cluster.config_map("layouts", "gpu-operator", {"config.yaml": yaml.safe_dump(held)})
    cluster.node("mig01", layout="all-3g.20gb", pool="serve")
    cluster.node("ts01", plugin="slices", pool="train")
    shared = {
        "sharing": {
            "timeSlicing": {
                "renameByDefault": True,
                "resources": [{"name": GPU, "replicas": 4}],
            }
        }
    }
    cluster.config_map("plugin", "gpu-operator", {"slices": yaml.safe_dump(shared)})
    cluster.release(
        "gpu-operator",
        {
            "driver": {"nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False}},
            "mig": {"strategy": "mixed"},
            "migManager": {"config": {"name": "layouts"}},
            "devicePlugin": {"config": {"name": "plugin"}},
        },
        "gpu-operator",
    )


def slurm(cluster: Cluster) -> None:
    """Slurm on Kubernetes: limits that hold, a database that is dumped every night."""
    api = "slinky.slurm.net/v1beta1"
    cluster.namespace("slurm", enforce="privileged")
    cgroup = (
        "CgroupPlugin=cgroup/v2\nConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=yes\n"
    )
    cluster.config_map(
        "files", "slurm", {"cgroup.conf": cgroup, "gres.conf": "AutoDetect=nvidia\n"}
    )
    cluster.custom(
        api,
        "Controller",
        "main",
        {
            "accountingRef": {"name": "main"},
            "configFileRefs": [{"name": "files"}],
            "extraConf": "AccountingStorageEnforce=limits,qos\n"
            "PartitionName=DEFAULT DefaultTime=1:00:00 MaxTime=2-00:00:00\n"
            "PartitionName=train Nodes=train State=UP\n",
        },
        namespace="slurm",
    )
    node_set = {
        "controllerRef": {"name": "main"},
        "extraConf": "Gres=gpu:h100:8",
        "slurmd": {"resources": {"limits": {GPU: 8}}},
        "template": {"spec": {"nodeSelector": {"pool": "train"}}},
    }
    cluster.custom(api, "NodeSet", "train", node_set, namespace="slurm")
    cluster.custom(
        "k8s.mariadb.com/v1alpha1",
        "MariaDB",
        "accounting",
        {"passwordSecretKeyRef": {"name": "db", "key": "password"}, "storage": {"size": "20Gi"}},
        namespace="slurm",
        protect=True,
    )
    nightly = {"mariaDbRef": {"name": "accounting"}, "schedule": {"cron": "0 2 * * *"}}
    cluster.custom("k8s.mariadb.com/v1alpha1", "Backup", "nightly", nightly, namespace="slurm")


def ceph(cluster: Cluster) -> None:
    """Ceph on named disks, in three copies; data stays, scratch goes."""
    api = "ceph.rook.io/v1"
    spec = {
        "mon": {"count": 3, "allowMultiplePerNode": False},
        "storage": {"useAllNodes": False, "useAllDevices": False, "nodes": [{"name": "st1"}]},
    }
    cluster.custom(api, "CephCluster", "main", spec, namespace="rook-ceph", protect=True)
    three = {"replicated": {"size": 3}}
    cluster.custom(api, "CephBlockPool", "block", three, namespace="rook-ceph", protect=True)
    coded = {"metadataPool": three, "dataPools": [{"erasureCoded": {"dataChunks": 4}}]}
    cluster.custom(api, "CephFilesystem", "files", coded, namespace="rook-ceph", protect=True)
    for name, policy in (("block", "Retain"), ("scratch", "Delete")):
        k8s.storage.v1.StorageClass(
            f"{cluster.name}-{name}",
            metadata={"name": name},
            provisioner="rook-ceph.rbd.csi.ceph.com",
            reclaim_policy=policy,
            opts=cluster.options(),
        )
    k8s.core.v1.PersistentVolumeClaim(
        f"{cluster.name}-datasets",
        metadata={"name": "datasets", "namespace": "data"},
        spec={"access_modes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}},
        opts=cluster.options(protect=True),
    )


def watched(cluster: Cluster) -> None:
    """Prometheus with somebody to call, and an exporter that needs the host."""
    cluster.namespace("monitoring", enforce="privileged")
    cluster.release(
        "kube-prometheus-stack",
        {
            "grafana": {"admin": {"existingSecret": "grafana-admin"}},
            "alertmanager": {
                "config": {
                    "route": {"receiver": "ops"},
                    "receivers": [
                        {"name": "null"},
                        {"name": "ops", "email_configs": [{"to": "ops@example.org"}]},
                    ],
                }
            },
            "prometheus-node-exporter": {"hostNetwork": True},
        },
        "monitoring",
    )
    cluster.deployment(
        "exporter",
        "monitoring",
        image="quay.io/prometheus/node-exporter:v1.9.0",
        pod={"volumes": [{"name": "proc", "host_path": {"path": "/proc"}}]},
    )
    k8s.core.v1.ConfigMap(
        f"{cluster.name}-dashboards",
        metadata={"name": "dashboards", "namespace": "monitoring"},
        data={"gpu.json": '{"title": "GPUs", "tokens": 12, "panels": []}\n\n'},
        opts=cluster.options(),
    )


def fabric(cluster: Cluster) -> None:
    """InfiniBand with the driver of its operator, and GPU drivers built against it."""
    ofed = {"ofedDriver": {"image": "doca-driver", "repository": "nvcr.io/nvidia/mellanox"}}
    cluster.custom("mellanox.com/v1alpha1", "NicClusterPolicy", "nic-cluster-policy", ofed)
    spec = {
        "driverType": "gpu",
        "version": "580.173.02",
        "nodeSelector": {"pool": "train"},
        "rdma": {"enabled": True},
        "upgradePolicy": {"waitForCompletion": {"podSelector": "app=train"}},
    }
    cluster.custom("nvidia.com/v1alpha1", "NVIDIADriver", "train", spec)
    cluster.release(
        "network-operator",
        {"nfd": {"enabled": True}, "sriovNetworkOperator": {}},
        "network-operator",
    )
    queue = {"weight": 4, "deserved": {GPU: 8}, "capability": {"cpu": 64, GPU: 16, MIG: 0}}
    cluster.custom("scheduling.volcano.sh/v1beta1", "Queue", "train", queue)
    cluster.custom(
        "batch.volcano.sh/v1alpha1",
        "Job",
        "pretrain",
        {
            "queue": "train",
            "tasks": [
                {
                    "replicas": 2,
                    "template": {
                        "spec": {
                            "containers": [
                                {
                                    "name": "main",
                                    "image": "nvcr.io/nvidia/pytorch:25.10-py3",
                                    "resources": {"limits": {GPU: 8}},
                                }
                            ]
                        }
                    },
                }
            ],
        },
        namespace="ml",
    )


def gateway(cluster: Cluster) -> None:
    """Services beside the GPUs: a registry of images, a webhook that spares the system."""
    cluster.namespace("registry", enforce="baseline")
    cluster.release(
        "harbor",
        {"existingSecretAdminPassword": "harbor-admin", "expose": {"tls": {"secretName": "tls"}}},
        "registry",
    )
    own = {"api_groups": ["example.org"], "resources": ["things"], "verbs": ["get", "update"]}
    cluster.role("ClusterRole", "things", own)
    k8s.admissionregistration.v1.MutatingWebhookConfiguration(
        f"{cluster.name}-labels",
        metadata={"name": "labels"},
        webhooks=[
            {
                "name": "labels.example.org",
                "admission_review_versions": ["v1"],
                "side_effects": "None",
                "client_config": {"url": "https://labels.example.org/"},
                "namespace_selector": {
                    "match_expressions": [
                        {
                            "key": "kubernetes.io/metadata.name",
                            "operator": "NotIn",
                            "values": ["kube-system"],
                        }
                    ]
                },
                "rules": [
                    {
                        "api_groups": [""],
                        "api_versions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                    }
                ],
            }
        ],
        opts=cluster.options(),
    )
