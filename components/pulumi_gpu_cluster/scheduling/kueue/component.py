"""Kueue itself: the release, a flavor per pool, and the cohort of all queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import KUEUE
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release
from pulumi_gpu_cluster.scheduling.args import SchedulerArgs
from pulumi_gpu_cluster.scheduling.kueue.objects import cohort, resource_flavor
from pulumi_gpu_cluster.scheduling.kueue.quotas import unpromised
from pulumi_gpu_cluster.scheduling.kueue.values import kueue_values
from pulumi_gpu_cluster.tenancy.shares import Share

KUEUE_TYPE: Final = "gpu-cluster:scheduling:Kueue"
"""Type token of the component; lives in users' state, so it never changes."""


class Kueue(KubernetesComponent):
    """Admission of jobs by quota: what all tenants' queues share."""

    def __init__(
        self,
        name: str,
        args: SchedulerArgs,
        *,
        cohort_name: str,
        pools: Sequence[NodePoolArgs],
        promised: Sequence[Mapping[str, Mapping[str, Share]]],
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Kueue and describes the pools to it.

        Args:
            name: Name of the component.
            args: The site file's section.
            cohort_name: Name of the cohort that every queue of the cluster belongs to.
            pools: The pools it admits jobs to.
            promised: Every tenant's shares by pool and resource; what is left can be borrowed.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether Kueue's CRDs, and with them all queues, go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": KUEUE.version, "namespace": args.release_namespace}
        super().__init__(KUEUE_TYPE, name, props, opts)
        release = platform_release(
            self,
            name,
            KUEUE,
            source=charts,
            namespace=args.release_namespace,
            values=kueue_values(args.kueue),
            delete_crds=delete_crds,
        )
        installed = self.child(after=[release])
        for pool in pools:
            resource_flavor(f"{name}-{pool.name}", pool, installed)
        cohort(f"{name}-cohort", cohort_name, unpromised(pools, promised), installed)
        self.register_outputs(props)
