"""One tenant's queues in Volcano."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.scheduling.volcano.objects import PoolQueue, queue
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import Share, offered

VOLCANO_QUEUE_TYPE: Final = "gpu-cluster:scheduling:VolcanoQueue"
"""Type token of the component; lives in users' state, so it never changes."""


class VolcanoQueue(KubernetesComponent):
    """A tenant's guarantees and ceilings, as Volcano holds them: a queue for each pool."""

    def __init__(
        self,
        name: str,
        tenant: TenantArgs,
        *,
        pools: Sequence[NodePoolArgs],
        shares: Mapping[str, Mapping[str, Share]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Makes the tenant's queue in each pool that it has a share of.

        Args:
            name: Name of the component.
            tenant: The tenant's section of the site file; its namespace exists.
            pools: All pools.
            shares: The tenant's shares, by pool and resource.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"name": tenant.name, "weight": tenant.weight}
        super().__init__(VOLCANO_QUEUE_TYPE, name, props, opts)
        for pool in pools:
            if pool.name in shares:
                pool_queue = PoolQueue(
                    tenant=tenant.name,
                    pool=pool,
                    shares=shares[pool.name],
                    offered=offered(pools),
                    pods=tenant.quota.pods,
                    weight=tenant.weight,
                    stopped=tenant.state != "active",
                )
                queue(f"{name}-{pool.name}", pool_queue, self.child())
        self.register_outputs(props)
