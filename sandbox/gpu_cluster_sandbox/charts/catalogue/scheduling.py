"""Stand-ins of the batch schedulers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

SCHEDULING: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "kueue": StandIn(
            source=Source("charts/kueue", "crds/kueue"),
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-controller-manager"',
                    placing="controllerManager",
                    account="kueue-controller-manager",
                ),
            ),
            converted=(
                "clusterqueues",
                "cohorts",
                "localqueues",
                "multikueueclusters",
                "workloads",
            ),
        ),
        "jobset": StandIn(
            source=Source("charts/jobset", "crds/jobset"),
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-controller"', placing="controller"
                ),
            ),
        ),
        "kubeflow-trainer": StandIn(
            source=Source("charts/trainer", "crds/trainer"),
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-controller-manager"',
                    placing="manager",
                ),
            ),
            bundled=(Source("charts/jobset", name="jobset"), Source("charts/lws", name="lws")),
        ),
        "volcano": StandIn(
            source=Source("charts/volcano/volcano", "crds/volcano"),
            workloads=tuple(
                Workload(
                    f'printf "%s-{deployment}" .Release.Name',
                    placing="custom",
                    keys=(f"{part}_ns", f"{part}_tolerations"),
                    switch=f"custom.{part}_enable",
                )
                for part, deployment in (
                    ("scheduler", "scheduler"),
                    ("controller", "controllers"),
                    ("admission", "admission"),
                )
            ),
            bundled=(Source(None, "crds/volcano", only=("flow.volcano.sh",), name="jobflow"),),
            open_paths=(
                "custom.default_sc",
                "custom.default_csc",
                "custom.agent_main_csc",
                "custom.agent_init_csc",
            ),
        ),
    }
)
"""By the chart's name."""
