"""Charts of the GPU nodes' software."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: NVIDIA/gpu-operator tag v26.7.0, deployments/gpu-operator (crds/, charts/, values.yaml:
# operator.upgradeCRD is on by default)
GPU_OPERATOR: Final = Chart(
    name="gpu-operator",
    repository="https://helm.ngc.nvidia.com/nvidia",
    version=versions.GPU_OPERATOR,
    crds=(
        CrdSet(
            CrdDelivery.HOOK,
            (
                "clusterpolicies.nvidia.com",
                "computedomaincliques.resource.nvidia.com",
                "computedomains.resource.nvidia.com",
                "gpuclusters.nvidia.com",
                "nvidiadrivers.nvidia.com",
            ),
        ),
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "nodefeaturegroups.nfd.k8s-sigs.io",
                "nodefeaturerules.nfd.k8s-sigs.io",
                "nodefeatures.nfd.k8s-sigs.io",
            ),
            subchart="node-feature-discovery",
        ),
    ),
)
