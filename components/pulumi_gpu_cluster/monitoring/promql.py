"""What queries, alerts and dashboards share: whose metrics there are, and how they are named.

Queries keep to what Prometheus 2.42 knows, because that is the checker that distributions have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

DCGM_JOB: Final = "nvidia-dcgm-exporter"
"""The job of the GPUs' exporter. Queries name the job: a target can lie about its metrics, never
about the job that Prometheus read them for."""

STATE_JOB: Final = "kube-state-metrics"
"""The job of what the API server knows."""

CEPH_JOB: Final = "rook-ceph-mgr"
"""The job of Ceph's active manager, which tells of the whole cluster."""

SLURM_JOB: Final = "slurmctld"
"""The job of Slurm's controller."""

STATE_METRICS: Final = frozenset(
    # source: kubernetes/kube-state-metrics v2.20 docs/metrics
    {
        "kube_node_info",
        "kube_node_labels",
        "kube_node_status_condition",
        "kube_persistentvolume_capacity_bytes",
        "kube_persistentvolume_claim_ref",
        "kube_persistentvolume_status_phase",
        "kube_resourcequota",
    }
)
"""The metrics of kube-state-metrics that we read, beside our own of custom resources."""

QUEUE_JOBS: Final = "gpu_cluster_queue_jobs"
"""Jobs in a queue of the batch scheduler, by `queue` and `state`, out of its status."""

LOCAL_QUEUE_JOBS: Final = "gpu_cluster_local_queue_jobs"
"""Jobs in a namespace's own queue, by `namespace`, `queue` and `state`."""

DRIVER_STATE: Final = "gpu_cluster_driver_state"
"""Whether a pool's driver is in a `state`: 1 or 0."""

NODE_POOL: Final = "gpu_cluster:node_pool:info"
"""1 for each node of a pool, by `node`, `pool` and `gpu` ("true" where it has GPUs)."""

SLURM_EXPECTED: Final = "gpu_cluster:slurm_gpus_expected:count"
"""GPUs that each node of a Slurm pool has by the site file, by Slurm's name of the `node`."""

GPU_SHARED: Final = "gpu_cluster:gpu_shared:info"
"""1 for each GPU or MIG instance of which several pods may have a share."""

GPU_HELD: Final = "gpu_cluster:gpu_held:info"
"""1 for each pod on each GPU or MIG instance that it has, whole or a share of it."""

GPU_BUSY: Final = "gpu_cluster:gpu_busy:ratio"
"""Part of the time, 0 to 1, in which a GPU or MIG instance works, by where it is and who has it.
Of one that is shared each pod has its own part, and what is no pod's stands by itself."""

TENANT_BUSY: Final = "gpu_cluster:tenant_gpus_busy:sum"
"""GPUs' worth of work, by `tenant` and MIG profile. What no pod can be found for is a line of its
own, `unattributed`, and never shared out among the others."""

TENANT_HELD: Final = "gpu_cluster:tenant_gpus_held:count"
"""GPUs and MIG instances that a tenant's pods hold, busy or not, by `tenant` and MIG profile. A
share counts as one."""

UNATTRIBUTED: Final = "unattributed"
"""In place of a tenant, where a GPU works and no pod is known that has it. Exporters do not see
behind every way of sharing a GPU, and a process outside of any pod is in no pod."""

_NOT_IN_LABELS: Final = re.compile(r"[^a-zA-Z0-9_]")
_INNER_CAPITAL: Final = re.compile(r"([a-z0-9])([A-Z])")


def matchers(job: str, labels: Mapping[str, str] | None = None) -> str:
    """The braces of a selector: a job, and labels that are equal to these values."""
    pairs = {"job": job, **(labels or {})}
    return "{" + ", ".join(f'{name}="{_quoted(value)}"' for name, value in pairs.items()) + "}"


def any_of(values: Iterable[object]) -> str:
    """A regular expression that matches each of these values and nothing else."""
    return "|".join(re.escape(str(value)) for value in values)


def label_of(key: str) -> str:
    """How kube-state-metrics calls the Prometheus label of a Kubernetes label.

    source: kubernetes/kube-state-metrics internal/store/utils.go (labelName)
    """
    snake = _INNER_CAPITAL.sub(r"\1_\2", _NOT_IN_LABELS.sub("_", key))
    return f"label_{snake.lower()}"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
