"""Keeps the cluster from having nodes that are no machines."""

from __future__ import annotations

from typing import Final

import pulumi

from pulumi_gpu_cluster.node_pools.props import POOL_LABEL
from pulumi_gpu_cluster.objects.admission import AdmissionRule, admission_binding, admission_policy
from pulumi_gpu_cluster.objects.component import KubernetesComponent

NODE_GUARD_TYPE: Final = "gpu-cluster:node-pools:NodeGuard"
"""Type token of the component; lives in users' state, so it never changes."""

JOINED_NODES: Final = AdmissionRule(
    name="gpu-cluster-joined-nodes",
    resources=(("", "nodes"),),
    operations=("CREATE",),
    condition=(f"has(object.metadata.labels) && '{POOL_LABEL}' in object.metadata.labels"),
    requires="object.status.nodeInfo.kubeletVersion != ''",
    message=(
        "'there is no node ' + object.metadata.name + '; let the machine join the cluster, or "
        "take it out of the pool ' + object.metadata.labels['" + POOL_LABEL + "']"
    ),
    # Never in the way of a machine that joins.
    on_error="Ignore",
)


class NodeGuard(KubernetesComponent):
    """Refuses a node that nobody but we would make.

    Labelling is server-side apply, and that makes what it does not find: a slip in a hostlist,
    or a node that was taken out of the cluster, would become a node without a machine. A
    kubelet that registers says its version, so machines pass.
    """

    def __init__(self, name: str, *, opts: pulumi.ResourceOptions | None = None) -> None:
        """Sets the rule up, before any node is labelled.

        Args:
            name: Name of the component.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"rule": JOINED_NODES.name}
        super().__init__(NODE_GUARD_TYPE, name, props, opts)
        policy = admission_policy(f"{name}-policy", JOINED_NODES, self.child())
        admission_binding(f"{name}-binding", JOINED_NODES, self.child(after=[policy]))
        self.register_outputs(props)
