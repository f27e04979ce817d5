"""NicClusterPolicy: what every node needs so that pods can have a second network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.network.operator.images import image

# source: Mellanox/network-operator v26.4.1 pkg/consts: the one name that it obeys
_NAME: Final = "nic-cluster-policy"
# Fresh nodes pull the images first.
_READY_SECONDS: Final = "1800"


@dataclass(frozen=True, slots=True)
class NicClusterPolicy:
    """The software on all nodes alike; drivers and devices are in each pool's NicNodePolicy.

    Attributes:
        ipoib: Whether pods get IP addresses on InfiniBand.
        tolerations: What its agents need to run on every node.
    """

    ipoib: bool
    tolerations: Sequence[Mapping[str, str]]

    def spec(self) -> dict[str, Any]:
        """The object's spec."""
        networks: dict[str, Any] = {
            "multus": image(versions.MULTUS_IMAGE),
            "cniPlugins": image(versions.CNI_PLUGINS_IMAGE),
        }
        if self.ipoib:
            networks["ipoib"] = image(versions.IPOIB_CNI_IMAGE)
        return {
            "secondaryNetwork": networks,
            # Its webhook would need cert-manager, and our rules judge the subnets already.
            "nvIpam": {**image(versions.NV_IPAM_IMAGE), "enableWebhook": False},
            "tolerations": [dict(toleration) for toleration in self.tolerations],
        }


def nic_cluster_policy(
    name: str, policy: NicClusterPolicy, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The object in the cluster, made once its agents run on every node."""
    return CustomResource(
        name,
        api_version="mellanox.com/v1alpha1",
        kind="NicClusterPolicy",
        metadata={
            "name": _NAME,
            "annotations": {
                "pulumi.com/waitFor": "jsonpath={.status.state}=ready",
                "pulumi.com/timeoutSeconds": _READY_SECONDS,
            },
        },
        spec=policy.spec(),
        opts=opts,
    )
