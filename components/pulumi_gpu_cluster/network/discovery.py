"""Node Feature Discovery, once for all operators that go by its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import NODE_FEATURE_DISCOVERY
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.images import ImagesArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.images import pull_secret
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


# source: kubernetes-sigs/node-feature-discovery v0.19.0, the chart's image.repository
_IMAGE: Final = "registry.k8s.io/nfd/node-feature-discovery"


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
        images: ImagesArgs | None = None,
        image_credentials: pulumi.Input[str] | None = None,
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Node Feature Discovery.

        Args:
            name: Name of the component.
            namespace: Its namespace.
            tolerations: What its agent needs to run on every node.
            images: Where images come from; by default upstream.
            image_credentials: What their registry is entered by, as the text of a Docker
                config.json.
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
            values=discovery_values(tolerations, images or ImagesArgs()),
            delete_crds=False,
            needs=lambda inside: (
                []
                if image_credentials is None
                else [pull_secret(f"{name}-images", namespace, image_credentials, inside)]
            ),
        )
        self.register_outputs(props)


def discovery_values(
    tolerations: Sequence[Mapping[str, str]], images: ImagesArgs
) -> dict[str, Any]:
    """What differs from the chart's own values.

    Args:
        tolerations: What its agent needs to run on every node.
        images: Where images come from.
    """
    secrets = [{"name": name} for name in images.secret_names]
    return {
        **({"image": {"repository": images.place(_IMAGE)}} if images.registry else {}),
        **({"imagePullSecrets": secrets} if secrets else {}),
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
