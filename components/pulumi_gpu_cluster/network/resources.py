"""What pods ask for to get onto a pool's fabric: one resource name per pool, and one network.

Nobody else spells these names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pulumi_gpu_cluster.catalog.fabrics import FABRICS, Fabric

if TYPE_CHECKING:
    from pulumi_gpu_cluster.network.fabric_args import FabricArgs
    from pulumi_gpu_cluster.node_pools.args import NodePoolArgs

_SHARED: Final = "rdma/"
_OWN: Final = "nvidia.com/"
_ROCE: Final = "roce_"

RDMA_PREFIXES: Final = (_SHARED, f"{_OWN}{_ROCE}")
"""What the names of all RDMA resources begin with: of shared adapters, and of virtual functions.
They are no GPUs, and no queue has a quota on them."""

# source: Mellanox/k8s-rdma-shared-dev-plugin, pkg/resources, rdmaHcaMax
SHARES: Final = 63
"""How many pods share the InfiniBand adapters of a node, however many adapters it has."""


@dataclass(frozen=True, slots=True)
class FabricPool:
    """A pool whose nodes have a fabric that the catalogue knows.

    Attributes:
        pool: The pool.
        args: Its section on the fabric.
        kind: The fabric.
    """

    pool: NodePoolArgs
    args: FabricArgs
    kind: Fabric

    @property
    def shared(self) -> bool:
        """Whether pods share the adapters; otherwise each gets a virtual function of its own."""
        return self.kind.link == "infiniband"

    @property
    def plugin_name(self) -> str:
        """The pool's resource as device plugins are told it, without its prefix.

        source: Mellanox/k8s-rdma-shared-dev-plugin pkg/resources: letters, digits, underscores
        """
        name = self.pool.name.replace("-", "_")
        return name if self.shared else f"{_ROCE}{name}"

    @property
    def resource(self) -> str:
        """The resource that pods ask for."""
        return f"{_SHARED if self.shared else _OWN}{self.plugin_name}"

    @property
    def per_node(self) -> int:
        """How many pods of a node can have it."""
        return SHARES if self.shared else self.args.vfs * len(self.args.interfaces)


def fabric_pools(pools: Iterable[NodePoolArgs]) -> Iterator[FabricPool]:
    """Those pools that have a fabric, but for fabrics that the catalogue does not know."""
    for pool in pools:
        if pool.fabric is not None and pool.fabric.link in FABRICS:
            yield FabricPool(pool, pool.fabric, FABRICS[pool.fabric.link])


def rdma_resource(pool: NodePoolArgs) -> str | None:
    """The resource by which a pod gets RDMA on the pool, to be asked for once; None without.

    On InfiniBand `rdma/<pool>`: all adapters of the node, shared with other pods. With RoCE
    `nvidia.com/roce_<pool>`: one virtual function, the pod's own. The pod needs the capability
    IPC_LOCK too.
    """
    return next((found.resource for found in fabric_pools([pool])), None)


def means_rdma(key: str) -> bool:
    """Whether a resource that somebody names is meant to be RDMA, however it is spelt."""
    bare = key.lower().removeprefix(_OWN)
    return bare.startswith(("rdma", "roce", "hca", "infiniband", "mlx5"))


def network_name(pool: NodePoolArgs, namespace: str) -> str | None:
    """What a pod writes into `k8s.v1.cni.cncf.io/networks` for an address on the fabric.

    Args:
        pool: The pool.
        namespace: Namespace of the Network Operator, where tenants cannot change the network.

    Returns:
        Namespace and name; None where pods have no addresses there.
    """
    addressed = any(found.args.addresses is not None for found in fabric_pools([pool]))
    return f"{namespace}/{pool.name}" if addressed else None
