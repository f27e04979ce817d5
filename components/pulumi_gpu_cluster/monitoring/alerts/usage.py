"""Recordings: which node is of which pool, how busy each GPU is, and for whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pulumi_gpu_cluster.monitoring.alerts.rule import Group, Recording
from pulumi_gpu_cluster.monitoring.promql import (
    DCGM_JOB,
    GPU_BUSY,
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


def usage(pools: Iterable[NodePoolArgs]) -> Group:
    """How busy GPUs are, and for whom."""
    return Group(
        "gpu-cluster-usage",
        (
            *(_node_pool(pool) for pool in pools),
            Recording(GPU_BUSY, _busy()),
            Recording(TENANT_BUSY, f"sum by (tenant, GPU_I_PROFILE) ({GPU_BUSY})"),
            Recording(
                TENANT_HELD,
                f'count by (tenant, GPU_I_PROFILE) ({GPU_BUSY}{{exported_pod!=""}})',
            ),
        ),
    )


def _node_pool(pool: NodePoolArgs) -> Recording:
    labels = {label_of(key): value for key, value in selector(pool).items()}
    return Recording(
        NODE_POOL,
        f"max by (node) (kube_node_labels{matchers(STATE_JOB, labels)})",
        {"pool": pool.name, "gpu": "true" if pool.gpu is not None else "false"},
    )


def _busy() -> str:
    """Each GPU or MIG instance once, with its tenant.

    A tenant's namespace has the tenant's name. What other namespaces hold goes by the name of
    the namespace.
    """
    of = matchers(DCGM_JOB)
    # GPUs without profiling counters say at least how long any kernel ran. Those have no MIG.
    active = (
        f"max by ({_DEVICE}, {_HOLDER}) (DCGM_FI_PROF_GR_ENGINE_ACTIVE{of})"
        f" or max by ({_DEVICE}, {_HOLDER}) (DCGM_FI_DEV_GPU_UTIL{of} / 100)"
    )
    nobody = f'label_replace({active}, "tenant", "{UNATTRIBUTED}", "", "")'
    return f'label_replace({nobody}, "tenant", "$1", "exported_namespace", "(.+)")'
