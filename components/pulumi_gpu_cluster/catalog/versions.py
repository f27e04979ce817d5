"""Every version this package installs, pinned in this one place, each with its source.

A chart's pin is its version as published. An image that we name ourselves is pinned as the whole
reference with its tag, in a constant that ends in `_IMAGE`; a chart's own images are pinned by
the chart. Two lines stand above each pin: where and of which day it is, and, for the bot that
raises it, where newer ones are published (`docker` for charts in OCI registries, too).
"""

from __future__ import annotations

from typing import Final

# source: NVIDIA/gpu-operator tag v26.7.0, 2026-08-20 (the published chart keeps the "v")
# renovate: datasource=helm depName=gpu-operator registryUrl=https://helm.ngc.nvidia.com/nvidia
GPU_OPERATOR: Final = "v26.7.0"

# source: NVIDIA/gpu-operator tag v26.7.0, 2026-08-20, values.yaml (gds): of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/cloud-native/nvidia-fs
NVIDIA_FS_IMAGE: Final = "nvcr.io/nvidia/cloud-native/nvidia-fs:2.29.4"

# source: NVIDIA/gpu-operator tag v26.7.0, 2026-08-20, values.yaml (gdrcopy): of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/cloud-native/gdrdrv
GDRCOPY_IMAGE: Final = "nvcr.io/nvidia/cloud-native/gdrdrv:v2.6"

# source: kubernetes-sigs/kueue tag v0.19.2, 2026-08-20 (chart published without the "v")
# renovate: datasource=docker depName=registry.k8s.io/kueue/charts/kueue
KUEUE: Final = "0.19.2"

# source: volcano-sh/volcano tag v1.15.1, 2026-07-30 (chart published without the "v")
# renovate: datasource=helm depName=volcano registryUrl=https://volcano-sh.github.io/helm-charts
VOLCANO: Final = "1.15.1"

# source: cilium/charts, 2026-08-03
# renovate: datasource=helm depName=cilium registryUrl=https://helm.cilium.io
CILIUM: Final = "1.20.0"

# source: projectcalico/calico tag v3.32.1, 2026-06-24 (the published chart keeps the "v")
# renovate: datasource=helm depName=tigera-operator registryUrl=https://docs.tigera.io/calico/charts
CALICO: Final = "v3.32.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24 (chart published without the "v")
# renovate: datasource=helm depName=network-operator registryUrl=https://helm.ngc.nvidia.com/nvidia
NETWORK_OPERATOR: Final = "26.4.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/doca-driver
DOCA_DRIVER_IMAGE: Final = "nvcr.io/nvidia/mellanox/doca-driver:doca3.4.1-26.04-1.1.0.0-1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin
RDMA_IMAGE: Final = "nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin:network-operator-v26.4.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/multus-cni
MULTUS_IMAGE: Final = "nvcr.io/nvidia/mellanox/multus-cni:network-operator-v26.4.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/plugins
CNI_PLUGINS_IMAGE: Final = "nvcr.io/nvidia/mellanox/plugins:network-operator-v26.4.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/ipoib-cni
IPOIB_CNI_IMAGE: Final = "nvcr.io/nvidia/mellanox/ipoib-cni:network-operator-v26.4.1"

# source: Mellanox/network-operator tag v26.4.1, 2026-07-24, example/crs: of one release with it
# renovate: datasource=docker depName=nvcr.io/nvidia/mellanox/nvidia-k8s-ipam
NV_IPAM_IMAGE: Final = "nvcr.io/nvidia/mellanox/nvidia-k8s-ipam:network-operator-v26.4.1"

# source: kubernetes-sigs/node-feature-discovery tag v0.19.0, 2026-07-10 (chart without the "v")
# renovate: datasource=docker depName=registry.k8s.io/nfd/charts/node-feature-discovery
NODE_FEATURE_DISCOVERY: Final = "0.19.0"

# source: deliveryhero/helm-charts commit 17aac330c35a, stable/node-problem-detector, 2026-07-06
# renovate: datasource=docker depName=ghcr.io/deliveryhero/helm-charts/node-problem-detector
NODE_PROBLEM_DETECTOR: Final = "2.4.1"

# source: kubernetes-sigs/jobset tag v0.12.0, 2026-05-08 (chart published without the "v")
# renovate: datasource=docker depName=registry.k8s.io/jobset/charts/jobset
JOBSET: Final = "0.12.0"

# source: kubeflow/trainer tag v2.3.0, 2026-08-06 (chart published without the "v")
# renovate: datasource=docker depName=ghcr.io/kubeflow/charts/kubeflow-trainer
TRAINER: Final = "2.3.0"

# source: kubeflow/trainer tag v2.3.0, its own runtime torch-distributed, 2026-08-06
# renovate: datasource=docker depName=docker.io/pytorch/pytorch
PYTORCH_IMAGE: Final = "docker.io/pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"

# source: NVIDIA/gpu-operator tag v26.7.0 values.yaml, dcgm, 2026-08-20
# renovate: datasource=docker depName=nvcr.io/nvidia/cloud-native/dcgm
DCGM_IMAGE: Final = "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu24.04"

# source: rook/rook tag v1.20.6, 2026-08-20 (the published chart keeps the "v")
# renovate: datasource=helm depName=rook-ceph registryUrl=https://charts.rook.io/release
ROOK: Final = "v1.20.6"

# source: rook/rook v1.20.6, deploy/charts/rook-ceph/Chart.yaml: the operator it bundles, whose
# project publishes the drivers' chart with it; ceph/ceph-csi-operator tag v1.0.4, 2026-07-07
# renovate: datasource=helm depName=ceph-csi-drivers registryUrl=https://ceph.github.io/ceph-csi-operator
CEPH_CSI_DRIVERS: Final = "1.0.4"

# source: rook/rook v1.20.6, deploy/charts/rook-ceph-cluster/values.yaml, cephImage, 2026-08-20
# renovate: datasource=docker depName=quay.io/ceph/ceph
CEPH_IMAGE: Final = "quay.io/ceph/ceph:v20.2.4"

# source: ThinkParQ/beegfs-csi-driver tag v1.8.0, 2025-12-03, deploy/k8s/bases
# renovate: datasource=docker depName=ghcr.io/thinkparq/beegfs-csi-driver
BEEGFS_CSI_IMAGE: Final = "ghcr.io/thinkparq/beegfs-csi-driver:v1.8.0"

# source: ThinkParQ/beegfs-csi-driver tag v1.8.0, 2025-12-03, deploy/k8s/bases
# renovate: datasource=docker depName=registry.k8s.io/sig-storage/csi-provisioner
CSI_PROVISIONER_IMAGE: Final = "registry.k8s.io/sig-storage/csi-provisioner:v3.5.0"

# source: ThinkParQ/beegfs-csi-driver tag v1.8.0, 2025-12-03, deploy/k8s/bases
# renovate: datasource=docker depName=registry.k8s.io/sig-storage/csi-resizer
CSI_RESIZER_IMAGE: Final = "registry.k8s.io/sig-storage/csi-resizer:v1.11.1"

# source: ThinkParQ/beegfs-csi-driver tag v1.8.0, 2025-12-03, deploy/k8s/bases
# renovate: datasource=docker depName=registry.k8s.io/sig-storage/csi-node-driver-registrar
CSI_REGISTRAR_IMAGE: Final = "registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.8.0"

# source: ThinkParQ/beegfs-csi-driver tag v1.8.0, 2025-12-03, deploy/k8s/bases
# renovate: datasource=docker depName=registry.k8s.io/sig-storage/livenessprobe
CSI_LIVENESS_IMAGE: Final = "registry.k8s.io/sig-storage/livenessprobe:v2.10.0"

# source: jupyterhub/zero-to-jupyterhub-k8s tag 4.4.0, 2026-06-10
# renovate: datasource=helm depName=jupyterhub registryUrl=https://hub.jupyter.org/helm-chart/
JUPYTERHUB: Final = "4.4.0"

# source: prometheus-community/helm-charts tag kube-prometheus-stack-88.5.3, 2026-08-21
# renovate: datasource=helm depName=kube-prometheus-stack registryUrl=https://prometheus-community.github.io/helm-charts
KUBE_PROMETHEUS_STACK: Final = "88.5.3"

# source: cert-manager/cert-manager tag v1.21.1, 2026-07-29 (the published chart keeps the "v")
# renovate: datasource=helm depName=cert-manager registryUrl=https://charts.jetstack.io
CERT_MANAGER: Final = "v1.21.1"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (one version for both its charts)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/charts/slurm-operator
SLURM_OPERATOR: Final = "1.2.1"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (helm/slurm/values.yaml)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/slurmctld
SLURMCTLD_IMAGE: Final = "ghcr.io/slinkyproject/slurmctld:26.05-ubuntu26.04"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (helm/slurm/values.yaml)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/slurmdbd
SLURMDBD_IMAGE: Final = "ghcr.io/slinkyproject/slurmdbd:26.05-ubuntu26.04"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (helm/slurm/values.yaml)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/slurmd
SLURMD_IMAGE: Final = "ghcr.io/slinkyproject/slurmd:26.05-ubuntu26.04"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (helm/slurm/values.yaml)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/slurmrestd
SLURMRESTD_IMAGE: Final = "ghcr.io/slinkyproject/slurmrestd:26.05-ubuntu26.04"

# source: SlinkyProject/slurm-operator tag v1.2.1, 2026-07-30 (helm/slurm/values.yaml)
# renovate: datasource=docker depName=ghcr.io/slinkyproject/login
SLURM_LOGIN_IMAGE: Final = "ghcr.io/slinkyproject/login:26.05-ubuntu26.04"

# source: Alpine Linux release 3.22.2, 2025-10-08 (the slurm chart says `latest`, which moves)
# renovate: datasource=docker depName=docker.io/library/alpine
SLURM_LOG_IMAGE: Final = "docker.io/library/alpine:3.22.2"

# source: mariadb-operator tag v26.6.0, 2026-06-06 (one version for both its charts)
# renovate: datasource=docker depName=ghcr.io/mariadb-operator/charts/mariadb-operator
MARIADB_OPERATOR: Final = "26.6.0"

# source: mariadb-operator tag v26.6.0, 2026-06-06 (config.mariadbImage of its chart)
# renovate: datasource=docker depName=mariadb
MARIADB_IMAGE: Final = "mariadb:11.8.8"

# source: NVIDIA/gpu-operator v26.7.0, supported platforms; Kubernetes releases page
KUBERNETES_MINORS: Final = ("1.35", "1.36")
