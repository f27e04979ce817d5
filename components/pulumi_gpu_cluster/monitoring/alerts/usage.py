"""Recordings: which node is of which pool, how busy each GPU is, and for whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pulumi_gpu_cluster.monitoring.alerts.rule import Group, Recording
from pulumi_gpu_cluster.monitoring.promql import (
    DCGM_JOB,
    GPU_BUSY,
    GPU_HELD,
    GPU_SHARED,
    NODE_POOL,
    STATE_JOB,
    TENANT_BUSY,
    TENANT_HELD,
    UNATTRIBUTED,
    label_of,
    matchers,
)
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.placement import selector

# The exporter's own label for its node is spelt differently from version to version; `node` is
# the one that our ServiceMonitor writes. `exported_` is before what Prometheus keeps for the pod
# that the metrics were read from.
_DEVICE: Final = "node, gpu, UUID, modelName, GPU_I_ID, GPU_I_PROFILE"
_HOLDER: Final = "exported_namespace, exported_pod"
_BY_POD: Final = ', exported_pod!=""'
_BY_NO_POD: Final = ', exported_pod=""'
_IN_SHARES: Final = ', vgpu!=""'


def usage(pools: Iterable[NodePoolArgs]) -> Group:
    """How busy GPUs are, and for whom."""
    return Group(
        "gpu-cluster-usage",
        (
            *(_node_pool(pool) for pool in pools),
            Recording(GPU_SHARED, _shared()),
            Recording(GPU_HELD, _with_tenant(_held())),
            Recording(GPU_BUSY, _with_tenant(_busy())),
            Recording(TENANT_BUSY, f"sum by (tenant, GPU_I_PROFILE) ({GPU_BUSY})"),
            Recording(TENANT_HELD, f"count by (tenant, GPU_I_PROFILE) ({GPU_HELD})"),
        ),
    )


def _node_pool(pool: NodePoolArgs) -> Recording:
    labels = {label_of(key): value for key, value in selector(pool).items()}
    return Recording(
        NODE_POOL,
        f"max by (node) (kube_node_labels{matchers(STATE_JOB, labels)})",
        {"pool": pool.name, "gpu": "true" if pool.gpu is not None else "false"},
    )


def _shared() -> str:
    # The label counts the shares of a GPU, from 0 on.
    return f"group by ({_DEVICE}) ({_engine(_IN_SHARES)} or {_kernels(_IN_SHARES)})"


def _busy() -> str:
    """Each GPU once, by the one of three ways that fits it."""
    return f"({_whole()}) or ({_by_kernels()}) or ({_shared_instances()})"


def _whole() -> str:
    """Each GPU and MIG instance that one pod has, or none."""
    return f"max by ({_DEVICE}, {_HOLDER}) ({_engine()}) unless on ({_DEVICE}) {GPU_SHARED}"


def _by_kernels() -> str:
    """GPUs without profiling counters, and shared ones, by how long any kernel ran.

    Where a GPU may be shared, the exporter gives the whole GPU's value without a pod and beside
    it each pod's own; elsewhere one value, with the pod or without.
    source: NVIDIA/dcgm-exporter 4.5.3-4.8.2 internal/pkg/transformation/kubernetes.go
    """
    pods = f"max by ({_DEVICE}, {_HOLDER}) ({_kernels(_BY_POD)} / 100)"
    whole = f"max by ({_DEVICE}) ({_kernels(_BY_NO_POD)} / 100)"
    rest = f"clamp_min({whole} - on ({_DEVICE}) sum by ({_DEVICE}) ({pods}), 0)"
    counted = f"max by ({_DEVICE}) ({_engine()}) unless on ({_DEVICE}) {GPU_SHARED}"
    return f"({pods} or ({rest} or on ({_DEVICE}) {whole})) unless on ({_DEVICE}) ({counted})"


def _shared_instances() -> str:
    """MIG instances that are shared: no pod's own work is known there.

    The exporter gives each pod the whole instance's value. It is one pod's where one has the
    instance, and nobody's where several have.
    """
    pods = f"max by ({_DEVICE}, {_HOLDER}) ({_engine(_IN_SHARES)})"
    idle = f"max by ({_DEVICE}) ({_engine(_BY_NO_POD)}) and on ({_DEVICE}) {GPU_SHARED}"
    held_by = f"count by ({_DEVICE}) ({pods})"
    alone = f"{pods} and on ({_DEVICE}) ({held_by} == 1)"
    several = f"max by ({_DEVICE}) ({pods}) and on ({_DEVICE}) ({held_by} > 1)"
    by_kernels = f"max by ({_DEVICE}) ({_kernels()})"
    return f"(({alone}) or ({several}) or ({idle})) unless on ({_DEVICE}) {by_kernels}"


def _held() -> str:
    return f"group by ({_DEVICE}, {_HOLDER}) ({_engine(_BY_POD)} or {_kernels(_BY_POD)})"


def _with_tenant(query: str) -> str:
    """Adds the tenant: its namespace has its name, and other namespaces go by their own."""
    nobody = f'label_replace({query}, "tenant", "{UNATTRIBUTED}", "", "")'
    return f'label_replace({nobody}, "tenant", "$1", "exported_namespace", "(.+)")'


def _engine(more: str = "") -> str:
    return f'DCGM_FI_PROF_GR_ENGINE_ACTIVE{{job="{DCGM_JOB}"{more}}}'


def _kernels(more: str = "") -> str:
    return f'DCGM_FI_DEV_GPU_UTIL{{job="{DCGM_JOB}"{more}}}'
