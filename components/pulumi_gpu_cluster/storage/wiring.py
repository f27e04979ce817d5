"""Storage in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.objects.component import KubernetesComponent


def storage(cluster: Composition, after: Sequence[pulumi.Resource]) -> list[KubernetesComponent]:
    """What the site has of Ceph and BeeGFS.

    Args:
        cluster: The cluster.
        after: The node pools, by whose labels the drivers find their nodes.
    """
    site = cluster.site
    made: list[KubernetesComponent] = []
    if site.storage.ceph is not None:
        made.append(
            parts.CephStorage(
                cluster.named("ceph"),
                site.storage.ceph,
                pools=site.node_pools,
                default_class=site.storage.default_class,
                charts=site.charts,
                expendable=site.gives_up_data,
                delete_crds=site.gives_up_crds,
                opts=cluster.inside(after),
            )
        )
    if site.storage.beegfs is not None:
        made.append(
            parts.BeegfsStorage(
                cluster.named("beegfs"),
                site.storage.beegfs,
                pools=site.node_pools,
                default_class=site.storage.default_class,
                opts=cluster.inside(after),
            )
        )
    return made
