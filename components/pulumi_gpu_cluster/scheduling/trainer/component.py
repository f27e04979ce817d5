"""Kubeflow Trainer's controller, and a runtime to train with."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import TRAINER
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release
from pulumi_gpu_cluster.scheduling.choice import Scheduler
from pulumi_gpu_cluster.scheduling.trainer.runtime import torch_distributed

TRAINER_TYPE: Final = "gpu-cluster:scheduling:Trainer"
"""Type token of the component; lives in users' state, so it never changes."""

TRAINER_NAMESPACE: Final = "kubeflow-system"
"""Where it runs, as its project has it."""


class Trainer(KubernetesComponent):
    """Kubeflow Trainer, without a JobSet of its own."""

    def __init__(
        self,
        name: str,
        *,
        scheduler: Scheduler,
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Trainer, where JobSet is installed already.

        Args:
            name: Name of the component.
            scheduler: What places the pods of a TrainJob.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether its CRDs, and with them all TrainJobs, go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": TRAINER.version, "namespace": TRAINER_NAMESPACE}
        super().__init__(TRAINER_TYPE, name, props, opts)
        release = platform_release(
            self,
            name,
            TRAINER,
            source=charts,
            namespace=TRAINER_NAMESPACE,
            values=trainer_values(),
            delete_crds=delete_crds,
        )
        torch_distributed(f"{name}-torch-distributed", scheduler, self.child(after=[release]))
        self.register_outputs(props)


def trainer_values() -> dict[str, Any]:
    """What differs from the chart's own values.

    The chart's own runtimes stay off: a hook installs kubectl from the internet to apply them.
    """
    return {
        "jobset": {"install": False},
        "manager": {
            "replicas": 2,
            "resources": {
                "requests": {"cpu": "100m", "memory": "256Mi"},
                "limits": {"memory": "1Gi"},
            },
        },
    }
