"""Runtimes that a TrainJob may name."""

from __future__ import annotations

from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog.versions import PYTORCH_IMAGE
from pulumi_gpu_cluster.scheduling.choice import Scheduler

TORCH_DISTRIBUTED: Final = "torch-distributed"
"""Name of the runtime, as the project's own SDK expects it."""

_STEP: Final = "trainer"
_CONTAINER: Final = "node"


def torch_distributed(
    name: str, scheduler: Scheduler, opts: pulumi.ResourceOptions
) -> CustomResource:
    """PyTorch on as many nodes as the TrainJob says, started by torchrun.

    A TrainJob brings its own image, command, number of nodes and GPUs. With Kueue it is admitted
    as a whole by its queue. With Volcano its pods are a gang, and the TrainJob names the queue by
    an annotation `scheduling.volcano.sh/queue-name` that its `runtimePatches` put on the template.

    source: kubeflow/trainer v2.3.0 pkg/apis/trainer/v1alpha1, pkg/runtime/framework/plugins

    Args:
        name: Name of the resource.
        scheduler: What places the pods.
        opts: Options of the resource.
    """
    return CustomResource(
        name,
        api_version="trainer.kubeflow.org/v1alpha1",
        kind="ClusterTrainingRuntime",
        metadata={
            "name": TORCH_DISTRIBUTED,
            "labels": {
                "trainer.kubeflow.org/framework": "torch",
                # Its webhook answers only some time after its controller is ready.
                "trainer.kubeflow.org/webhook-validation": "disabled",
            },
        },
        spec=_spec(scheduler),
        opts=opts,
    )


def _spec(scheduler: Scheduler) -> dict[str, Any]:
    volcano = scheduler == "volcano"
    pod: dict[str, Any] = {"containers": [{"name": _CONTAINER, "image": PYTORCH_IMAGE}]}
    if volcano:
        pod["schedulerName"] = "volcano"
    job = {
        "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": _STEP}},
        "spec": {"template": {"spec": pod}},
    }
    return {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {"spec": {"replicatedJobs": [{"name": _CONTAINER, "template": job}]}},
        **({"podGroupPolicy": {"volcano": {}}} if volcano else {}),
    }
