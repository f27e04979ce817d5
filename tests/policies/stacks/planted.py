"""A stack that people wrote by hand, with thirty faults in it, each marked with its rule."""

from __future__ import annotations

from typing import Any

import pulumi_kubernetes as k8s
from written import GPU, MIG, Cluster

CONFIG: dict[str, dict[str, Any]] = {
    "gpu-cluster": {
        "tenantSelector": {"team": "*"},
        "managedNodes": False,
        "boards": {"mig01": "A100-SXM4-40GB", "train": "H100-SXM5-80GB", "all": "H100-SXM5-80GB"},
        "pools": {
            "train": {"nodes": 2, "resources": {GPU: 8}},
            "serve": {"nodes": 1, "resources": {MIG: 16}},
        },
        "asOf": "2026-12-01",
    },
    "cluster-admin-to-tenants": {"adminGroups": ["platform"]},
    "image-outside-registries": {"allowedRegistries": ["registry.example.org", "nvcr.io"]},
}

FAULTS = (
    "provider-without-cluster-identifier",
    "namespace-without-pod-security",
    "tenant-namespace-without-gpu-quota",
    "quota-gpu-key",
    "quota-unknown-resource",
    "limit-range-gpu-default",
    "gpu-request-without-limit",
    "gpu-workload-without-queue",
    "kueue-quota-over-capacity",
    "kueue-covered-resources-differ",
    "queue-weight-zero",
    "tenant-namespace-without-default-deny",
    "data-without-protect",
    "cluster-admin-to-tenants",
    "rights-with-wildcard",
    "tenant-may-write-queues",
    "plaintext-secret",
    "default-password",
    "image-without-tag",
    "image-outside-registries",
    "host-path",
    "privileged-pod",
    "node-mig-layout-does-not-fit",
    "time-slices-named-like-gpus",
    "driver-selectors-overlap",
    "driver-past-end",
    "driver-upgrade-without-pod-selector",
    "ceph-mon-count",
    "ceph-uses-all-devices",
    "webhook-fails-closed-on-system",
)
SECRET = "planted-and-kept-quiet"  # noqa: S105 - planted
QUOTA = {f"requests.{GPU}": "8", f"requests.{MIG}": "8"}


def make() -> None:
    """Makes the stack."""
    cluster = Cluster("planted")
    Cluster("loose", cluster_identifier=None)  # provider-without-cluster-identifier
    _tenants(cluster)
    _work(cluster)
    _queues(cluster)
    _rights(cluster)
    _platform(cluster)


def _tenants(cluster: Cluster) -> None:
    cluster.namespace("tools")  # namespace-without-pod-security
    cluster.tenant(
        "vision",
        {
            **QUOTA,
            f"limits.{GPU}": "8",  # quota-gpu-key
            "requests.nvidia.com/mig-1g.5gb": "4",  # quota-unknown-resource
        },
    )
    # tenant-namespace-without-gpu-quota, tenant-namespace-without-default-deny
    cluster.tenant("speech", {f"requests.{GPU}": "8"}, wall=False)
    limit: Any = {"type": "Container", "default": {GPU: "1"}}  # limit-range-gpu-default
    k8s.core.v1.LimitRange(
        "limits",
        metadata={"name": "limits", "namespace": "vision"},
        spec={"limits": [limit]},
        opts=cluster.options(),
    )
    k8s.core.v1.PersistentVolumeClaim(  # data-without-protect
        "datasets",
        metadata={"name": "datasets", "namespace": "vision"},
        spec={
            "access_modes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Ti"}},
        },
        opts=cluster.options(),
    )


def _work(cluster: Cluster) -> None:
    # gpu-request-without-limit
    cluster.job("train", "vision", {"requests": {GPU: "1"}}, queue="main-vision")
    # gpu-workload-without-queue
    cluster.deployment("serve", "vision", resources={"limits": {GPU: "1"}})
    cluster.deployment("web", "vision", image="registry.example.org/web")  # image-without-tag
    # image-outside-registries
    cluster.deployment("cache", "vision", image="docker.io/library/redis:7.4.1")
    root = {"volumes": [{"name": "root", "host_path": {"path": "/"}}]}
    cluster.deployment("logs", "vision", pod=root)  # host-path
    # privileged-pod
    cluster.deployment("tune", "vision", security_context={"privileged": True})
    cluster.config_map("settings", "vision", {"db.password": SECRET})  # plaintext-secret
    cluster.release("harbor", {"harborAdminPassword": "Harbor12345"}, "harbor")  # default-password


def _queues(cluster: Cluster) -> None:
    cluster.cluster_queue("vision", {"cpu": 64, GPU: 12, MIG: 16})
    cluster.cluster_queue("speech", {GPU: 8})  # kueue-quota-over-capacity: 20 of 16
    cluster.cluster_queue("spare", {"cpu": 4}, ["cpu", "memory"])  # kueue-covered-resources-differ
    cluster.cluster_queue("idle", {"cpu": 1}, fairSharing={"weight": "0"})  # queue-weight-zero
    cluster.local_queue("vision", "vision")


def _rights(cluster: Cluster) -> None:
    k8s.rbac.v1.ClusterRoleBinding(  # cluster-admin-to-tenants
        "vision-admins",
        metadata={"name": "vision-admins"},
        role_ref={
            "api_group": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "cluster-admin",
        },
        subjects=[
            {"api_group": "rbac.authorization.k8s.io", "kind": "Group", "name": "vision"},
            {"api_group": "rbac.authorization.k8s.io", "kind": "Group", "name": "platform"},
        ],
        opts=cluster.options(),
    )
    every = {"api_groups": [""], "resources": ["*"], "verbs": ["get"]}
    cluster.role("ClusterRole", "readers", every)  # rights-with-wildcard
    # tenant-may-write-queues
    write = {
        "api_groups": ["kueue.x-k8s.io"],
        "resources": ["localqueues"],
        "verbs": ["get", "create"],
    }
    cluster.role("Role", "queue-keepers", write, "vision")


def _platform(cluster: Cluster) -> None:
    cluster.node("mig01", layout="all-3g.40gb")  # node-mig-layout-does-not-fit
    slices = (
        "version: v1\nsharing:\n  timeSlicing:\n    resources:\n"
        "    - {name: nvidia.com/gpu, replicas: 4}\n"
    )
    cluster.config_map("plugin", "gpu-operator", {"any": slices})  # time-slices-named-like-gpus
    driver = {"driverType": "gpu", "version": "580.173.02", "upgradePolicy": {"autoUpgrade": False}}
    pool = {"pool": "train"}
    cluster.custom("nvidia.com/v1alpha1", "NVIDIADriver", "train", {**driver, "nodeSelector": pool})
    cluster.custom(
        "nvidia.com/v1alpha1",
        "NVIDIADriver",
        "all",
        {
            **driver,
            "nodeSelector": {"gpu": "yes"},  # driver-selectors-overlap
            "version": "535.309.01",  # driver-past-end
            "upgradePolicy": {"autoUpgrade": True},  # driver-upgrade-without-pod-selector
        },
    )
    cluster.release(
        "rook-ceph-cluster",
        {"cephClusterSpec": {"mon": {"count": 2}}},  # ceph-mon-count, ceph-uses-all-devices
        "rook-ceph",
    )
    k8s.admissionregistration.v1.ValidatingWebhookConfiguration(  # webhook-fails-closed-on-system
        "guard",
        metadata={"name": "guard"},
        webhooks=[
            {
                "name": "guard.example.org",
                "admission_review_versions": ["v1"],
                "side_effects": "None",
                "client_config": {"url": "https://guard.example.org/"},
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
