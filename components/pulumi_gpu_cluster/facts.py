"""What a stack says about itself: plain facts that a summary can print and nobody must hide."""

from __future__ import annotations

from typing import Any

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.network.resources import fabric_pools, rdma_resource
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_in
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU
from pulumi_gpu_cluster.scheduling.choice import queue_names
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.slurm.accounts import account_of
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.shares import ceilings


def version_facts(site: Site) -> dict[str, str]:
    """What runs, in which version."""
    scheduler = versions.KUEUE if site.scheduler.kind == "kueue" else versions.VOLCANO
    operator = (
        {"gpu_operator": versions.GPU_OPERATOR} if any(pool.gpu for pool in site.node_pools) else {}
    )
    nics = (
        {"network_operator": versions.NETWORK_OPERATOR}
        if any(fabric_pools(site.node_pools))
        else {}
    )
    cnis = {"cilium": versions.CILIUM, "calico": versions.CALICO}
    cni = site.network.cni.kind
    return {
        "kubernetes": site.control_plane.kubernetes_version,
        **({cni: cnis[cni]} if cni in cnis else {}),
        **nics,
        **operator,
        site.scheduler.kind: scheduler,
        **({"slurm_operator": versions.SLURM_OPERATOR} if site.slurm is not None else {}),
        **_storage_versions(site),
    }


def _storage_versions(site: Site) -> dict[str, str]:
    ceph = {"rook": versions.ROOK, "ceph": _tag(versions.CEPH_IMAGE)}
    beegfs = {"beegfs_csi": _tag(versions.BEEGFS_CSI_IMAGE)}
    return {
        **(ceph if site.storage.ceph is not None else {}),
        **(beegfs if site.storage.beegfs is not None else {}),
    }


def _tag(image: str) -> str:
    return image.rpartition(":")[2]


def pool_facts(pool: NodePoolArgs) -> dict[str, Any]:
    """A pool: nodes, GPUs of each, what it offers in all, driver and MIG layout."""
    facts: dict[str, Any] = {
        "name": pool.name,
        "nodes": pool.size,
        "devices": dict(devices_in(pool)),
    }
    if pool.gpu is not None:
        facts["gpu"] = {"model": pool.gpu.model, "count": pool.gpu.count}
    if pool.fabric is not None:
        facts["fabric"] = pool.fabric.link
        facts["rdma"] = rdma_resource(pool)
    if pool.driver is not None:
        facts["driver"] = pool.driver.version or pool.driver.source
    if pool.mig is not None:
        facts["mig"] = ", ".join(dict.fromkeys(part.cut.layout for part in parts_of(pool)))
    return facts


def tenant_facts(site: Site, tenant: TenantArgs) -> dict[str, Any]:
    """A tenant: its state, namespace, hard limits, and what its jobs name as their queue.

    One that is removed stays listed until its entry is dropped, so that the next run knows
    that it may be.
    """
    return {
        "name": tenant.name,
        "state": tenant.state,
        "namespace": tenant.name,
        "quota": dict(ceilings(site, tenant)),
        "queue": ", ".join(queue_names(site.scheduler.kind, tenant, site.node_pools)),
        **_account_facts(site, tenant),
    }


def _account_facts(site: Site, tenant: TenantArgs) -> dict[str, Any]:
    account = account_of(tenant, site.node_pools)
    if site.slurm is None or not account.pools:
        return {}
    gpus = int(account.limits[WHOLE_GPU].ceiling) if WHOLE_GPU in account.limits else 0
    return {"slurm": {"account": account.name, "gpus": gpus}}
