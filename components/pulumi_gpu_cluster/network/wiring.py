"""The network in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.network.resources import fabric_pools
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.scheduling.choice import job_selector


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
        second = any(fabric_pools(site.node_pools))
        name = cluster.named("cilium")
        return [parts.Cilium(name, args, beside_multus=second, charts=site.charts, opts=opts)]
    if args.kind == "calico":
        return [parts.Calico(cluster.named("calico"), args, charts=site.charts, opts=opts)]
    return []


def node_feature_discovery(
    cluster: Composition, after: Sequence[pulumi.Resource]
) -> list[parts.NodeFeatureDiscovery]:
    """Node Feature Discovery; none in a cluster with neither GPUs nor a fabric.

    Args:
        cluster: The cluster.
        after: The node pools.
    """
    site = cluster.site
    if not any(pool.gpu or pool.fabric for pool in site.node_pools):
        return []
    return [
        parts.NodeFeatureDiscovery(
            cluster.named("node-feature-discovery"),
            namespace=site.network.discovery_namespace,
            tolerations=agent_tolerations(site.node_pools),
            images=site.images,
            image_credentials=cluster.image_credentials,
            charts=site.charts,
            opts=cluster.inside(after),
        )
    ]


def network_operator(
    cluster: Composition, after: Sequence[pulumi.Resource]
) -> list[parts.NetworkOperator]:
    """The Network Operator; none in a cluster without a fabric.

    Args:
        cluster: The cluster.
        after: The node pools, and Node Feature Discovery.
    """
    site = cluster.site
    if not any(fabric_pools(site.node_pools)):
        return []
    return [
        parts.NetworkOperator(
            cluster.named("network-operator"),
            namespace=site.network.operator_namespace,
            pools=site.node_pools,
            jobs=job_selector(site.scheduler.kind),
            charts=site.charts,
            opts=cluster.inside(after),
        )
    ]
