"""The NVIDIA Network Operator, and what it does on each pool with a fabric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import NETWORK_OPERATOR
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.network.admission import own_networks
from pulumi_gpu_cluster.network.operator import sriov
from pulumi_gpu_cluster.network.operator.addresses import ip_pool, ipoib_network
from pulumi_gpu_cluster.network.operator.cluster_policy import NicClusterPolicy, nic_cluster_policy
from pulumi_gpu_cluster.network.operator.node_policy import nic_node_policy, node_policy_of
from pulumi_gpu_cluster.network.operator.values import operator_values
from pulumi_gpu_cluster.network.resources import FabricPool, fabric_pools
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.objects.admission import AdmissionRule, admission_binding, admission_policy
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

NETWORK_OPERATOR_TYPE: Final = "gpu-cluster:network:NetworkOperator"
"""Type token of the component; lives in users' state, so it never changes."""


class NetworkOperator(KubernetesComponent):
    """NIC drivers, RDMA devices and second networks on the pools that have a fabric."""

    def __init__(
        self,
        name: str,
        *,
        namespace: str,
        pools: Sequence[NodePoolArgs],
        jobs: str,
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the operator and tells it what each pool needs.

        Args:
            name: Name of the component.
            namespace: Its namespace.
            pools: All node pools.
            jobs: Label selector of the pods that a driver upgrade waits for.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        fabrics = list(fabric_pools(pools))
        props = {
            "version": NETWORK_OPERATOR.version,
            "namespace": namespace,
            "resources": {fabric.pool.name: fabric.resource for fabric in fabrics},
        }
        super().__init__(NETWORK_OPERATOR_TYPE, name, props, opts)
        release = platform_release(
            self,
            name,
            NETWORK_OPERATOR,
            source=charts,
            namespace=namespace,
            values=operator_values(sriov=not all(fabric.shared for fabric in fabrics)),
            delete_crds=False,
        )
        policies = [
            nic_node_policy(f"{name}-{policy.name}", policy, self.child(after=[release]))
            for fabric in fabrics
            if (policy := node_policy_of(fabric, jobs))
        ]
        addressed = [fabric for fabric in fabrics if fabric.args.addresses is not None]
        # After the pools': on nodes whose driver no pool's policy brings it lets devices be used.
        ready = nic_cluster_policy(
            f"{name}-cluster",
            NicClusterPolicy(
                ipoib=any(fabric.shared for fabric in addressed),
                tolerations=agent_tolerations(pools),
            ),
            self.child(after=[release, *policies]),
        )
        if addressed:
            self._guard(name, own_networks(addressed, namespace))
        for fabric in addressed:
            self._network(f"{name}-{fabric.pool.name}", fabric, namespace, ready)
        self.register_outputs(props)

    def _guard(self, name: str, rule: AdmissionRule) -> None:
        policy = admission_policy(f"{name}-own-networks-policy", rule, self.child())
        admission_binding(f"{name}-own-networks-binding", rule, self.child(after=[policy]))

    def _network(
        self, name: str, fabric: FabricPool, namespace: str, ready: pulumi.Resource
    ) -> None:
        """A network for the pool's pods; the kinds of its objects are there once all is ready."""
        addresses = ip_pool(f"{name}-addresses", fabric, namespace, self.child(after=[ready]))
        after = self.child(after=[addresses])
        if fabric.shared:
            ipoib_network(f"{name}-ipoib", fabric, namespace, after)
            return
        budget = sriov.sriov_budget(f"{name}-budget", fabric, namespace, after)
        sriov.virtual_functions(f"{name}-vfs", fabric, namespace, self.child(after=[budget]))
        sriov.sriov_network(f"{name}-network", fabric, namespace, after)
