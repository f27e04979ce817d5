"""The whole cluster, composed: one component for each concern, in the order they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.control_plane.component import ControlPlane
from pulumi_gpu_cluster.facts import pool_facts, tenant_facts, version_facts
from pulumi_gpu_cluster.gpu_operator.component import GpuOperator
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.component import NodePool
from pulumi_gpu_cluster.node_pools.guard import NodeGuard
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.scheduling.choice import job_selector, node_labels_for, queue_rights
from pulumi_gpu_cluster.scheduling.kueue.component import Kueue
from pulumi_gpu_cluster.scheduling.kueue.queue import KueueQueue
from pulumi_gpu_cluster.scheduling.volcano.component import Volcano
from pulumi_gpu_cluster.scheduling.volcano.queue import VolcanoQueue
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.tenancy.component import Tenant
from pulumi_gpu_cluster.tenancy.guard import TenantGuard
from pulumi_gpu_cluster.tenancy.shares import Share, ceilings, shares

GPU_CLUSTER_TYPE: Final = "gpu-cluster:cluster:GpuCluster"
"""Type token of the component; lives in users' state, so it never changes."""


class GpuCluster(pulumi.ComponentResource):
    """A GPU cluster, from its control plane to its tenants' queues.

    What must come first is said between components and not between their children, whose
    number grows with the site.

    Attributes:
        control_plane: The API server, with the provider that reaches it.
        outputs: What the stack of a site exports: `kubeconfig` (a secret, where the site holds
            it), `site`, `versions`, `pools`, `tenants`.
    """

    control_plane: ControlPlane
    outputs: Mapping[str, Any]

    def __init__(self, name: str, site: Site, opts: pulumi.ResourceOptions | None = None) -> None:
        """Makes everything the site describes.

        Args:
            name: Name of the component, first part of the names of all its resources.
            site: The site, checked.
            opts: Options of the component.
        """
        super().__init__(GPU_CLUSTER_TYPE, name, {"site": site.name}, opts)
        self._name = name
        self._site = site
        self._shares = shares(site)
        self.control_plane = ControlPlane(
            f"{name}-control-plane",
            site.control_plane,
            identifier=site.name,
            opts=pulumi.ResourceOptions(parent=self),
        )
        guard = NodeGuard(f"{name}-node-guard", opts=self._inside())
        pools = [self._node_pool(pool, after=[guard]) for pool in site.node_pools]
        self._gpu_operator(after=pools)
        scheduler = self._scheduler()
        fence = TenantGuard(f"{name}-tenant-guard", opts=self._inside())
        for tenant in site.tenants:
            if tenant.state != "removed":
                place = self._tenant(tenant, after=[fence])
                self._queue(tenant, after=[scheduler, place])
        self.outputs = self._facts()
        self.register_outputs(dict(self.outputs))

    def _inside(self, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(
            parent=self, provider=self.control_plane.provider, depends_on=list(after)
        )

    def _node_pool(self, pool: NodePoolArgs, after: Sequence[pulumi.Resource]) -> NodePool:
        return NodePool(
            f"{self._name}-{pool.name}",
            pool,
            access=self.control_plane.access,
            labels=node_labels_for(self._site.scheduler.kind, pool),
            node_scope=self._name,
            opts=self._inside(after),
        )

    def _gpu_operator(self, after: Sequence[pulumi.Resource]) -> GpuOperator | None:
        """After the labels that tell it what to leave alone; not at all without GPUs."""
        if not any(pool.gpu for pool in self._site.node_pools):
            return None
        return GpuOperator(
            f"{self._name}-gpu-operator",
            self._site.gpu_operator,
            pools=self._site.node_pools,
            jobs=job_selector(self._site.scheduler.kind),
            charts=self._site.charts,
            delete_crds=self._site.gives_up_crds,
            opts=self._inside(after),
        )

    def _scheduler(self) -> KubernetesComponent:
        name, args = f"{self._name}-{self._site.scheduler.kind}", self._site.scheduler
        if args.kind == "volcano":
            return Volcano(
                name,
                args,
                charts=self._site.charts,
                delete_crds=self._site.gives_up_crds,
                opts=self._inside(),
            )
        return Kueue(
            name,
            args,
            cohort_name=self._site.name,
            pools=self._site.node_pools,
            promised=list(self._shares.values()),
            charts=self._site.charts,
            delete_crds=self._site.gives_up_crds,
            opts=self._inside(),
        )

    def _tenant(self, tenant: TenantArgs, after: Sequence[pulumi.Resource]) -> Tenant:
        return Tenant(
            f"{self._name}-{tenant.name}",
            tenant,
            ceilings=ceilings(self._site, tenant),
            queue_rights=queue_rights(self._site.scheduler.kind),
            expendable=self._site.gives_up_data,
            opts=self._inside(after),
        )

    def _queue(self, tenant: TenantArgs, after: Sequence[pulumi.Resource]) -> KubernetesComponent:
        name = f"{self._name}-{tenant.name}-queue"
        held: Mapping[str, Mapping[str, Share]] = self._shares[tenant.name]
        if self._site.scheduler.kind == "volcano":
            return VolcanoQueue(
                name, tenant, pools=self._site.node_pools, shares=held, opts=self._inside(after)
            )
        return KueueQueue(
            name,
            tenant,
            cohort_name=self._site.name,
            pools=self._site.node_pools,
            shares=held,
            opts=self._inside(after),
        )

    def _facts(self) -> Mapping[str, Any]:
        kubeconfig = self.control_plane.access.kubeconfig
        return {
            **({"kubeconfig": kubeconfig} if kubeconfig is not None else {}),
            "site": self._site.name,
            "versions": version_facts(self._site),
            "pools": [pool_facts(pool) for pool in self._site.node_pools],
            "tenants": [tenant_facts(self._site, tenant) for tenant in self._site.tenants],
        }
