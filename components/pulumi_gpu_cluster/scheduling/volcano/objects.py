"""Volcano's queues: one for each tenant and pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.quantity import text_of
from pulumi_gpu_cluster.scheduling.choice import node_group, pool_queue_name
from pulumi_gpu_cluster.tenancy.shares import MEMORY, Share

_ROOT: Final = "root"


@dataclass(frozen=True, slots=True)
class PoolQueue:
    """A tenant's queue in one pool.

    Attributes:
        tenant: Name of the tenant.
        pool: The pool.
        shares: The tenant's share of each of the pool's resources.
        offered: Every GPU resource of the cluster.
        pods: The most pods, over all pools.
        weight: The tenant's weight.
        stopped: Whether nothing new may start.
    """

    tenant: str
    pool: NodePoolArgs
    shares: Mapping[str, Share]
    offered: tuple[str, ...]
    pods: int
    weight: int
    stopped: bool

    @property
    def name(self) -> str:
        """Name of the queue."""
        return pool_queue_name(self.tenant, self.pool.name)

    def spec(self) -> dict[str, Any]:
        """The queue's spec.

        The queues hang side by side below the root and not below one of their tenant: its
        sums would have to be lowered after theirs and raised before, and the admission
        webhook refuses every other order. The tenant's sums are its ResourceQuota's matter.
        """
        guarantee = _amounts((name, share.guarantee) for name, share in self.shares.items())
        return {
            "parent": _ROOT,
            "weight": self.weight,
            "reclaimable": True,
            "guarantee": {"resource": guarantee},
            "deserved": guarantee,
            "capability": self._capability(),
            "affinity": {
                "nodeGroupAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [node_group(self.pool)]
                }
            },
        }

    def _capability(self) -> dict[str, str]:
        """The ceiling, and a word on every resource: what is left out is without limit."""
        ceiling = _amounts((name, share.ceiling) for name, share in self.shares.items())
        return {
            **dict.fromkeys(self.offered, "0"),
            **ceiling,
            "pods": "0" if self.stopped else str(self.pods),
        }


def queue(name: str, pool_queue: PoolQueue, opts: pulumi.ResourceOptions) -> CustomResource:
    """The queue in the cluster, once it is open: before that it takes no job."""
    return CustomResource(
        name,
        api_version="scheduling.volcano.sh/v1beta1",
        kind="Queue",
        metadata={
            "name": pool_queue.name,
            "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=Open"},
        },
        spec=pool_queue.spec(),
        opts=opts,
    )


def _amounts(amounts: Iterable[tuple[str, Any]]) -> dict[str, str]:
    return {name: text_of(amount, binary=name == MEMORY) for name, amount in sorted(amounts)}
