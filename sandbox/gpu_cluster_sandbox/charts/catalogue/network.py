"""Stand-ins of the network."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

NETWORK: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "cilium": StandIn(
            source=Source("charts/cilium"),
            workloads=(Workload('"cilium-operator"', placing="operator"),),
        ),
        "tigera-operator": StandIn(
            source=Source("charts/tigera-operator"),
            unpublished="v0.0",
            workloads=(Workload('"tigera-operator"', placing=""),),
        ),
        "node-feature-discovery": StandIn(
            source=Source(
                "charts/node-feature-discovery",
                "crds/node-feature-discovery",
                only=("nfd.k8s-sigs.io",),
            ),
            unpublished="0.2.1",
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-master"',
                    placing="master",
                    switch="master.enable",
                ),
            ),
        ),
        "network-operator": StandIn(
            source=Source("charts/network-operator", "crds/network-operator"),
            workloads=(
                Workload('"network-operator"', placing="operator"),
                Workload(
                    '"sriov-network-operator"',
                    placing="operator",
                    bundled="sriov-network-operator",
                ),
            ),
            bundled=(
                Source(
                    "charts/network-operator-bundled-nfd",
                    "crds/network-operator-bundled-nfd",
                    name="node-feature-discovery",
                ),
                Source(
                    "charts/network-operator-bundled-sriov",
                    "crds/network-operator-bundled-sriov",
                    name="sriov-network-operator",
                ),
                Source(
                    "charts/network-operator-bundled-maintenance",
                    "crds/network-operator-bundled-maintenance",
                    name="maintenance-operator-chart",
                ),
            ),
            made_later=(Source(None, "crds/nvidia-k8s-ipam"),),
        ),
    }
)
"""By the chart's name."""
