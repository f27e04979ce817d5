"""Cilium: the pods' network, with NetworkPolicies that hold."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import CILIUM
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.network.args import CniArgs
from pulumi_gpu_cluster.network.namespaces import CILIUM_NAMESPACE
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

CILIUM_TYPE: Final = "gpu-cluster:network:Cilium"
"""Type token of the component; lives in users' state, so it never changes."""


class Cilium(KubernetesComponent):
    """Cilium on every node."""

    def __init__(
        self,
        name: str,
        args: CniArgs,
        *,
        beside_multus: bool = False,
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Cilium.

        Args:
            name: Name of the component.
            args: The site file's section.
            beside_multus: Whether pods may have a second network, by Multus.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": CILIUM.version, "namespace": CILIUM_NAMESPACE}
        super().__init__(CILIUM_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            CILIUM,
            source=charts,
            namespace=CILIUM_NAMESPACE,
            values=cilium_values(args, beside_multus=beside_multus),
            delete_crds=False,
        )
        self.register_outputs(props)


def cilium_values(args: CniArgs, *, beside_multus: bool) -> dict[str, Any]:
    """What differs from the chart's own values.

    kube-proxy stays: it is there on an existing cluster, and doing without it is a change to be
    made on purpose, node by node. The agents tolerate every taint already.

    Args:
        args: The site file's section.
        beside_multus: Whether pods may have a second network, by Multus.
    """
    # The chart's own range is all of 10.0.0.0/8, in which most sites have their nodes.
    ipam: dict[str, Any] = {"mode": "kubernetes"}
    if args.pod_cidr is not None:
        ipam = {
            "mode": "cluster-pool",
            "operator": {"clusterPoolIPv4PodCIDRList": [args.pod_cidr]},
        }
    return {
        "ipam": ipam,
        # By itself Cilium moves other CNIs' configurations away, and Multus' is one.
        **({"cni": {"exclusive": False}} if beside_multus else {}),
        **({"MTU": args.mtu} if args.mtu is not None else {}),
        # Without requests it is the first to starve on a node full of data loaders.
        "resources": {"requests": {"cpu": "100m", "memory": "512Mi"}},
        "operator": {"podDisruptionBudget": {"enabled": True, "maxUnavailable": 1}},
    }
