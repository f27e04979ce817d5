"""The whole cluster, composed: one component for each concern, in the order they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

from pulumi_gpu_cluster.certificates.wiring import certificates
from pulumi_gpu_cluster.cluster_props import DATA, EXPENDABLE, GPU_CLUSTER_TYPE, KEPT
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.control_plane.component import ControlPlane
from pulumi_gpu_cluster.facts import pool_facts, tenant_facts, version_facts
from pulumi_gpu_cluster.gpu_operator.wiring import gpu_operator
from pulumi_gpu_cluster.health.wiring import node_gate, problem_detector
from pulumi_gpu_cluster.monitoring.wiring import monitoring
from pulumi_gpu_cluster.network.wiring import cni, network_operator, node_feature_discovery
from pulumi_gpu_cluster.node_pools.wiring import node_pools
from pulumi_gpu_cluster.operations.crds.left_behind import CRDS_OUTPUT, crd_versions
from pulumi_gpu_cluster.operations.outcomes import DRIVERS, GATES, outcomes
from pulumi_gpu_cluster.scheduling.wiring import queue, scheduler
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.slurm.wiring import slurm
from pulumi_gpu_cluster.storage.wiring import storage
from pulumi_gpu_cluster.tenancy.guard import TenantGuard
from pulumi_gpu_cluster.tenancy.shares import shares
from pulumi_gpu_cluster.tenancy.wiring import tenant
from pulumi_gpu_cluster.workloads.wiring import jupyterhub


class GpuCluster(pulumi.ComponentResource):
    """A GPU cluster, from its control plane to its tenants' queues.

    Attributes:
        control_plane: The API server, with the provider that reaches it.
        outputs: What the stack of a site exports: `kubeconfig` (a secret, where the site holds
            it), `site`, `versions`, `crds`, `pools`, `tenants`; with node work `gates`, `drivers`
            and `pending`, which is what the next run goes on with.
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
        self.control_plane = ControlPlane(
            f"{name}-control-plane",
            site.control_plane,
            identifier=site.name,
            opts=pulumi.ResourceOptions(parent=self),
        )
        parts = Composition(
            name, site, self.control_plane.access, self, self.control_plane.provider
        )
        parts = parts.after(cni(parts))
        held = shares(site)
        monitoring(parts)
        pools = node_pools(parts)
        features = node_feature_discovery(parts, after=pools)
        nics = network_operator(parts, after=[*pools, *features])
        operator = gpu_operator(parts, after=[*pools, *features, *nics])
        problem_detector(parts)
        gates = node_gate(parts, pools, after=operator)
        slurm(parts, certificates(parts), after=[*pools, *operator])
        volumes = storage(parts, after=pools)
        queues = scheduler(parts, promised=list(held.values()))
        fence = TenantGuard(parts.named("tenant-guard"), opts=parts.inside())
        for entry in site.tenants:
            if entry.state != "removed":
                place = tenant(parts, entry, after=[fence, *volumes])
                door = queue(parts, entry, held[entry.name], after=[queues, place])
                jupyterhub(parts, entry, after=[place, door])
        drivers = {pool: said for part in operator for pool, said in part.told.items()}
        self.outputs = {**self._facts(site), **outcomes({GATES: gates, DRIVERS: drivers})}
        data = EXPENDABLE if site.gives_up_data else KEPT
        self.register_outputs({**self.outputs, DATA: data})

    def _facts(self, site: Site) -> Mapping[str, Any]:
        kubeconfig = self.control_plane.access.kubeconfig
        return {
            **({"kubeconfig": kubeconfig} if kubeconfig is not None else {}),
            "site": site.name,
            "versions": version_facts(site),
            CRDS_OUTPUT: crd_versions(site),
            "pools": [pool_facts(pool) for pool in site.node_pools],
            "tenants": [tenant_facts(site, tenant) for tenant in site.tenants],
        }
