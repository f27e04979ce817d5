"""JobSet's controller."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import JOBSET
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

JOBSET_TYPE: Final = "gpu-cluster:scheduling:JobSet"
"""Type token of the component; lives in users' state, so it never changes."""

JOBSET_NAMESPACE: Final = "jobset-system"
"""Where it runs, as its project has it."""


class JobSet(KubernetesComponent):
    """JobSet, which others build on: Kubeflow Trainer makes a JobSet of each TrainJob."""

    def __init__(
        self,
        name: str,
        *,
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs JobSet.

        Args:
            name: Name of the component.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether its CRD, and with it all JobSets, may go with it. Helm itself
                keeps what lies in a chart's crds/ folder.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": JOBSET.version, "namespace": JOBSET_NAMESPACE}
        super().__init__(JOBSET_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            JOBSET,
            source=charts,
            namespace=JOBSET_NAMESPACE,
            values=jobset_values(),
            delete_crds=delete_crds,
        )
        self.register_outputs(props)


def jobset_values() -> dict[str, Any]:
    """What differs from the chart's own values: two controllers, for their webhook fails closed."""
    return {
        "image": {"pullPolicy": "IfNotPresent"},
        "controller": {"replicas": 2, "podDisruptionBudget": {"enabled": True}},
    }
