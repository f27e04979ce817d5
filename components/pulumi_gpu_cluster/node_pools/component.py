"""A node pool: what the cluster knows about machines that are alike."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import NodePatch

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node
from pulumi_gpu_cluster.node_pools.cuts import Cut, cut_by_node, parts_of
from pulumi_gpu_cluster.node_pools.labels import node_labels
from pulumi_gpu_cluster.node_pools.node_resources import held_node, labelled_node, tainted_node
from pulumi_gpu_cluster.node_pools.placement import taint_specs
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE, pool_props, size_props
from pulumi_gpu_cluster.objects.component import KubernetesComponent

_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})


class NodePool(KubernetesComponent):
    """Nodes that are alike, with our labels and taints on them.

    A pool of `nodes:` has one to three resources per node and none that knows them all, so that
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
        gated: bool = False,
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
            gated: Whether new GPU nodes are held back until a gate lets them in; it sets the MIG
                layout then.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = pool_props(args, devices_per_node(args), [part.cut for part in parts_of(args)])
        super().__init__(NODE_POOL_TYPE, name, props, opts)
        scope = node_scope or name
        holds = gated and args.gpu is not None
        cuts: Mapping[str, Cut] = {} if holds else cut_by_node(args)
        taints = taint_specs(args)
        reach = access or ClusterAccess()
        nodes: dict[str, NodePatch] = {}
        for node in args.node_names:
            full = f"{scope}-{node}"
            held = (
                [held_node(f"{full}-hold", node, access=reach, opts=self.child())] if holds else []
            )
            wanted = node_labels(args, labels, layout=cuts[node].layout if node in cuts else "")
            labelled = labelled_node(full, node, wanted, self.child(after=held))
            nodes[node] = labelled
            if taints:
                tainted_node(
                    f"{full}-taints",
                    node,
                    labelled=labelled,
                    taints=taints,
                    access=reach,
                    opts=self.child(after=[labelled]),
                )
        self._labelled = MappingProxyType(nodes)
        self.register_outputs({**props, **size_props(args)})

    # No annotated attribute: those are what the component gives to other languages.
    @property
    def labelled(self) -> Mapping[str, NodePatch]:
        """Its nodes by name, as labelled; empty for a pool found by a selector."""
        return self._labelled
