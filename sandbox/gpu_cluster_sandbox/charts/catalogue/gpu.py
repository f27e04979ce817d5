"""Stand-ins of the GPU nodes' software."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload


def _image(*path: str) -> str:
    """An operand's image, as a Helm expression."""
    words = " ".join(f'"{word}"' for word in path)
    return f'include "standin.image" (dict "root" . "path" (list {words}))'


GPU: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "gpu-operator": StandIn(
            source=Source("charts/gpu-operator", "crds/gpu-operator"),
            unpublished="v1.0.0-devel",
            workloads=(
                Workload(
                    '"gpu-operator"',
                    placing="operator",
                    account="gpu-operator",
                    env=(
                        ("OPERATOR_NAMESPACE", ".Release.Namespace"),
                        ("DRIVER_MANAGER_IMAGE", _image("driver", "manager")),
                        ("VALIDATOR_IMAGE", _image("validator")),
                    ),
                ),
                Workload(
                    'include "standin.fullname" . | printf "%s-master"',
                    placing="master",
                    switch="master.enable",
                    bundled="node-feature-discovery",
                ),
            ),
            bundled=(
                Source(
                    "charts/gpu-operator-bundled-nfd",
                    "crds/gpu-operator-bundled-nfd",
                    name="node-feature-discovery",
                ),
            ),
            projected=("clusterpolicies.nvidia.com", "nvidiadrivers.nvidia.com"),
            # source: NVIDIA/gpu-operator v26.7.0 templates/clusterpolicy.yaml
            also_known=("dcgm.imagePullSecrets", "dcgmExporter.imagePullSecrets"),
        ),
    }
)
"""By the chart's name."""
