"""node-problem-detector on every node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import NODE_PROBLEM_DETECTOR
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.health.args import ProblemDetectorArgs
from pulumi_gpu_cluster.health.monitors import gpu_monitor
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

PROBLEM_DETECTOR_TYPE: Final = "gpu-cluster:health:ProblemDetector"
"""Type token of the component; lives in users' state, so it never changes."""

_GPU_MONITOR: Final = "gpu-monitor.json"


class ProblemDetector(KubernetesComponent):
    """Turns what the kernel logs about GPUs and memory into conditions and events of nodes."""

    def __init__(
        self,
        name: str,
        args: ProblemDetectorArgs,
        *,
        pools: Sequence[NodePoolArgs],
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs it.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: All node pools, whose taints it tolerates.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": NODE_PROBLEM_DETECTOR.version, "namespace": args.namespace}
        super().__init__(PROBLEM_DETECTOR_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            NODE_PROBLEM_DETECTOR,
            source=charts,
            namespace=args.namespace,
            values=problem_detector_values(pools),
            delete_crds=False,
        )
        self.register_outputs(props)


def problem_detector_values(pools: Iterable[NodePoolArgs]) -> dict[str, Any]:
    """What differs from the chart's own values.

    Args:
        pools: All node pools.
    """
    return {
        "settings": {
            "custom_monitor_definitions": {_GPU_MONITOR: gpu_monitor()},
            # The chart's own list has Docker's monitor, and nodes run containerd.
            "log_monitors": [
                "/config/kernel-monitor.json",
                "/config/readonly-monitor.json",
                f"/custom-config/{_GPU_MONITOR}",
            ],
        },
        "metrics": {"enabled": True},
        "resources": {
            "requests": {"cpu": "20m", "memory": "64Mi"},
            "limits": {"memory": "256Mi"},
        },
        "tolerations": [
            # On every node, be it tainted by us or not; the chart's own list says so as well, but
            # leaves out taints that would drive it away again.
            {"operator": "Exists", "effect": "NoSchedule"},
            *(one for one in agent_tolerations(pools) if one["effect"] != "NoSchedule"),
        ],
    }
