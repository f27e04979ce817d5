"""Node Feature Discovery, once for all operators that go by its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import NODE_FEATURE_DISCOVERY
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

NODE_FEATURE_DISCOVERY_TYPE: Final = "gpu-cluster:network:NodeFeatureDiscovery"
"""Type token of the component; lives in users' state, so it never changes."""

_CONTROL_PLANE_TOLERATION: Final = {
    "key": "node-role.kubernetes.io/control-plane",
    "operator": "Exists",
    "effect": "NoSchedule",
}
# source: NVIDIA/gpu-operator v26.7.0 values.yaml, node-feature-discovery.worker.config: the
# classes of network adapters and GPUs, labelled by their vendor
_PCI: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "deviceClassWhitelist": ("02", "0200", "0207", "0300", "0302"),
        "deviceLabelFields": ("vendor",),
    }
)


class NodeFeatureDiscovery(KubernetesComponent):
    """What each node has, said in labels.

    Both NVIDIA charts bring one of their own. Two of them undo each other's labels, and the one
    that is taken away takes the labels with it, so both are off and this one stands before them.
    """

    def __init__(
        self,
        name: str,
        *,
        namespace: str,
        tolerations: Sequence[Mapping[str, str]],
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Node Feature Discovery.

        Args:
            name: Name of the component.
            namespace: Its namespace.
            tolerations: What its agent needs to run on every node.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": NODE_FEATURE_DISCOVERY.version, "namespace": namespace}
        super().__init__(NODE_FEATURE_DISCOVERY_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            NODE_FEATURE_DISCOVERY,
            source=charts,
            namespace=namespace,
            values=discovery_values(tolerations),
            delete_crds=False,
        )
        self.register_outputs(props)


def discovery_values(tolerations: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """What differs from the chart's own values.

    Args:
        tolerations: What its agent needs to run on every node.
    """
    return {
        # The operators stop what they run on a node that loses its labels, so taking the release
        # away must not take them.
        "postDeleteCleanup": False,
        "priorityClassName": "system-node-critical",
        # source: NVIDIA/gpu-operator v26.7.0 values.yaml: its feature rules write labels there
        "master": {"config": {"extraLabelNs": ["nvidia.com"]}},
        "worker": {
            "config": {"sources": {"pci": {key: list(value) for key, value in _PCI.items()}}},
            "tolerations": [_CONTROL_PLANE_TOLERATION, *map(dict, tolerations)],
        },
    }
