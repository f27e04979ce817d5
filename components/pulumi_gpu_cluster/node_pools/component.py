"""A node pool: what the cluster knows about machines that are alike."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import pulumi

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node
from pulumi_gpu_cluster.node_pools.labels import node_labels
from pulumi_gpu_cluster.node_pools.node_resources import labelled_node, tainted_node
from pulumi_gpu_cluster.node_pools.placement import taint_specs
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE, pool_props
from pulumi_gpu_cluster.objects.component import KubernetesComponent

_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})


class NodePool(KubernetesComponent):
    """Nodes that are alike, with our labels and taints on them.

    A pool of `nodes:` has one or two resources per node and none that knows them all, so that
    a node comes or goes without touching another. A pool found by a `selector:` has none.
    """

    def __init__(
        self,
        name: str,
        args: NodePoolArgs,
        *,
        access: ClusterAccess | None = None,
        labels: Mapping[str, str] = _NO_LABELS,
        node_scope: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Labels and taints the pool's nodes.

        Args:
            name: Name of the component.
            args: The pool's section of the site file.
            access: How the command that writes taints reaches the cluster; by default with
                the ambient kubeconfig.
            labels: What other concerns need on the pool's nodes.
            node_scope: First part of the names of per-node resources, by default the
                component's own name. Pools of one cluster share it, so that a node that
                moves to another pool is changed in place.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = pool_props(args, devices_per_node(args))
        super().__init__(NODE_POOL_TYPE, name, props, opts)
        scope = node_scope or name
        wanted = node_labels(args, labels)
        taints = taint_specs(args)
        for node in args.node_names:
            labelled = labelled_node(f"{scope}-{node}", node, wanted, self.child())
            if taints:
                tainted_node(
                    f"{scope}-{node}-taints",
                    node,
                    labelled=labelled,
                    taints=taints,
                    access=access or ClusterAccess(),
                    opts=self.child(after=[labelled]),
                )
        self.register_outputs(props)
