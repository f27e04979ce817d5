"""One tenant's queue in Kueue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.scheduling.args import KueueArgs
from pulumi_gpu_cluster.scheduling.kueue.objects import cluster_queue, local_queue
from pulumi_gpu_cluster.scheduling.kueue.quotas import tenant_quotas
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import Share

KUEUE_QUEUE_TYPE: Final = "gpu-cluster:scheduling:KueueQueue"
"""Type token of the component; lives in users' state, so it never changes."""


class KueueQueue(KubernetesComponent):
    """A tenant's guarantee and ceiling, as Kueue holds them."""

    def __init__(
        self,
        name: str,
        tenant: TenantArgs,
        *,
        args: KueueArgs | None = None,
        cohort_name: str,
        pools: Sequence[NodePoolArgs],
        shares: Mapping[str, Mapping[str, Share]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Makes the tenant's ClusterQueue, and the door to it from its namespace.

        Args:
            name: Name of the component.
            tenant: The tenant's section of the site file; its namespace exists.
            args: What the site says of Kueue.
            cohort_name: The cohort it lends to and borrows from.
            pools: All pools, in the site's order.
            shares: The tenant's shares, by pool and resource.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"name": tenant.name, "weight": tenant.weight}
        super().__init__(KUEUE_QUEUE_TYPE, name, props, opts)
        queue = cluster_queue(
            f"{name}-cluster-queue",
            tenant.name,
            cohort_name=cohort_name,
            quotas=tenant_quotas(shares, pools),
            weight=tenant.weight,
            preempt=(args or KueueArgs()).preempt,
            stopped=tenant.state != "active",
            opts=self.child(),
        )
        local_queue(f"{name}-local-queue", tenant.name, tenant.name, self.child(after=[queue]))
        self.register_outputs(props)
