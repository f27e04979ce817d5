"""Generated sites of any size, alike in everything but size."""

from __future__ import annotations

from typing import Any


def site(nodes: int, tenants: int, *, taints: bool = False) -> dict[str, Any]:
    """A site of one pool of H100 nodes, shared evenly by tenants.

    Args:
        nodes: Nodes of eight GPUs.
        tenants: Tenants, each with a guarantee of one node's GPUs at most.
        taints: Whether the pool has a taint, which costs a command per node.
    """
    pool: dict[str, Any] = {
        "name": "train",
        "nodes": f"gpu[00001-{nodes:05}]",
        "cpus": 192,
        "memory": "1800Gi",
        "gpu": {"model": "H100-SXM5-80GB", "count": 8},
        "driver": "580.173.02",
    }
    if taints:
        pool["taints"] = [{"key": "nvidia.com/gpu", "value": "present"}]
    # Not more with more nodes: the size of the cluster is all that may differ.
    share = min(8, nodes * 8 // max(tenants, 1))
    return {
        "name": "bench",
        "control_plane": {"kind": "existing", "version": "1.36.3", "kubeconfig_file": "k"},
        "network": {"cni": {"kind": "existing", "name": "calico"}},
        "node_pools": [pool],
        "tenants": [
            {"name": f"team-{n}", "group": f"team-{n}", "quota": {"train": {"gpu": share}}}
            for n in range(tenants)
        ],
    }
