"""Charts of the network: the pods' own, and what finds and drives fast adapters."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: cilium/charts, cilium 1.20.0: no CRDs in it, the agents make them themselves
CILIUM: Final = Chart(
    name="cilium",
    repository="https://helm.cilium.io",
    version=versions.CILIUM,
)

# source: projectcalico/calico tag v3.32.1, charts/tigera-operator (manageCRDs is on by default:
# the operator makes Calico's CRDs itself, and its own lie in crds/)
TIGERA_OPERATOR: Final = Chart(
    name="tigera-operator",
    repository="https://docs.tigera.io/calico/charts",
    version=versions.CALICO,
)

# source: kubernetes-sigs/node-feature-discovery tag v0.19.0, deployment/helm (Chart.yaml says
# 0.2.1 until it is published)
NODE_FEATURE_DISCOVERY: Final = Chart(
    name="node-feature-discovery",
    repository="oci://registry.k8s.io/nfd/charts",
    version=versions.NODE_FEATURE_DISCOVERY,
    crds=(
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "nodefeaturegroups.nfd.k8s-sigs.io",
                "nodefeaturerules.nfd.k8s-sigs.io",
                "nodefeatures.nfd.k8s-sigs.io",
            ),
        ),
    ),
)

_FEATURES: Final = NODE_FEATURE_DISCOVERY.crd_names

# source: Mellanox/network-operator tag v26.4.1, deployment/network-operator (crds/ and the hook
# behind upgradeCRDs, on by default; the crds/ of its bundled charts) and manifests/
NETWORK_OPERATOR: Final = Chart(
    name="network-operator",
    repository="https://helm.ngc.nvidia.com/nvidia",
    version=versions.NETWORK_OPERATOR,
    crds=(
        CrdSet(
            CrdDelivery.HOOK,
            (
                "hostdevicenetworks.mellanox.com",
                "ipoibnetworks.mellanox.com",
                "macvlannetworks.mellanox.com",
                "network-attachment-definitions.k8s.cni.cncf.io",
                "nicclusterpolicies.mellanox.com",
                "nicnodepolicies.mellanox.com",
            ),
        ),
        CrdSet(
            CrdDelivery.OPERATOR,
            ("cidrpools.nv-ipam.nvidia.com", "ippools.nv-ipam.nvidia.com"),
        ),
        CrdSet(CrdDelivery.CRDS_FOLDER, _FEATURES, subchart="node-feature-discovery"),
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "deviceattributes.sriovnetwork.k8snetworkplumbingwg.io",
                "ovsnetworks.sriovnetwork.openshift.io",
                "sriovibnetworks.sriovnetwork.openshift.io",
                "sriovnetworknodepolicies.sriovnetwork.openshift.io",
                "sriovnetworknodestates.sriovnetwork.openshift.io",
                "sriovnetworkpoolconfigs.sriovnetwork.openshift.io",
                "sriovnetworks.sriovnetwork.openshift.io",
                "sriovoperatorconfigs.sriovnetwork.openshift.io",
                "sriovresourcepolicies.sriovnetwork.k8snetworkplumbingwg.io",
            ),
            subchart="sriov-network-operator",
        ),
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "maintenanceoperatorconfigs.maintenance.nvidia.com",
                "nodemaintenances.maintenance.nvidia.com",
            ),
            subchart="maintenance-operator-chart",
        ),
    ),
)
