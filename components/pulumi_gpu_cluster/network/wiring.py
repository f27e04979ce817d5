"""The network in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.network.cni.calico import Calico
from pulumi_gpu_cluster.network.cni.cilium import Cilium
from pulumi_gpu_cluster.network.discovery import NodeFeatureDiscovery
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.objects.component import KubernetesComponent


def cni(cluster: Composition) -> list[KubernetesComponent]:
    """The CNI, without which no pod runs; none where the cluster brings its own.

    Without it every pod loses its network, so neither leaving the section out nor destroying the
    stack takes it, but where the site says that its data may go.
    """
    site = cluster.site
    keep = pulumi.ResourceOptions(protect=not site.gives_up_data)
    opts = pulumi.ResourceOptions.merge(cluster.inside(), keep)
    args = site.network.cni
    if args.kind == "cilium":
        return [Cilium(cluster.named("cilium"), args, charts=site.charts, opts=opts)]
    if args.kind == "calico":
        return [Calico(cluster.named("calico"), args, charts=site.charts, opts=opts)]
    return []


def node_feature_discovery(
    cluster: Composition, after: Sequence[pulumi.Resource]
) -> list[NodeFeatureDiscovery]:
    """Node Feature Discovery; none in a cluster with neither GPUs nor a fabric.

    Args:
        cluster: The cluster.
        after: The node pools.
    """
    site = cluster.site
    if not any(pool.gpu for pool in site.node_pools):
        return []
    return [
        NodeFeatureDiscovery(
            cluster.named("node-feature-discovery"),
            namespace=site.network.discovery_namespace,
            tolerations=agent_tolerations(site.node_pools),
            charts=site.charts,
            opts=cluster.inside(after),
        )
    ]
