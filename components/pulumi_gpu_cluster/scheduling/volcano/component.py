"""Volcano itself: the release, with a scheduler that keeps to guarantees and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import VOLCANO
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.admission import admission_binding, admission_policy
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release
from pulumi_gpu_cluster.scheduling.args import SchedulerArgs
from pulumi_gpu_cluster.scheduling.volcano.admission import BUSY_QUEUES, OWN_QUEUES, OWN_SCHEDULER
from pulumi_gpu_cluster.scheduling.volcano.values import volcano_values
from pulumi_gpu_cluster.tenancy.shares import offered

VOLCANO_TYPE: Final = "gpu-cluster:scheduling:Volcano"
"""Type token of the component; lives in users' state, so it never changes."""


class Volcano(KubernetesComponent):
    """A scheduler with gangs: what all tenants' queues share."""

    def __init__(
        self,
        name: str,
        args: SchedulerArgs,
        *,
        pools: Sequence[NodePoolArgs],
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        expendable: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Volcano.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: The pools it places jobs on.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether Volcano's CRDs, and with them all queues and jobs, go with it.
            expendable: Whether the site allows that queues go while pods run in them.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": VOLCANO.version, "namespace": args.release_namespace}
        super().__init__(VOLCANO_TYPE, name, props, opts)
        release = platform_release(
            self,
            name,
            VOLCANO,
            source=charts,
            namespace=args.release_namespace,
            values=volcano_values(args.volcano, offered(pools)),
            delete_crds=delete_crds,
        )
        for rule in (OWN_QUEUES, OWN_SCHEDULER, *(() if expendable else (BUSY_QUEUES,))):
            own = f"{name}-{rule.name.removeprefix('gpu-cluster-')}"
            policy = admission_policy(own, rule, self.child(after=[release]))
            admission_binding(own, rule, self.child(after=[policy]))
        self.register_outputs(props)
