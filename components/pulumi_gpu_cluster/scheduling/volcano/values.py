"""Values of the volcano chart: the scheduler's configuration, which the chart takes as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from pulumi_gpu_cluster.scheduling.args import VolcanoArgs
from pulumi_gpu_cluster.scheduling.volcano.configuration import scheduler_configuration


def volcano_values(args: VolcanoArgs, gpus: Sequence[str]) -> dict[str, Any]:
    """What differs from the chart's own values.

    Two of each: one that schedules or answers, one that takes over. Without the webhook no pod
    group is checked, and while the scheduler is away no job of any tenant starts.

    Args:
        args: What the site says of Volcano.
        gpus: Full names of every GPU resource of the cluster.
    """
    configuration = scheduler_configuration(args, gpus)
    return {
        "basic": {"image_pull_policy": "IfNotPresent"},
        "custom": {
            "admission_replicas": 2,
            "controller_replicas": 2,
            "scheduler_replicas": 2,
            "leader_elect_enable": True,
            "scheduler_config_override": yaml.safe_dump(configuration, sort_keys=False),
        },
    }
