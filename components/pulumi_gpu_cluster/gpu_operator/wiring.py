"""The GPU Operator in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.gpu_operator.toolkit import runtime_of
from pulumi_gpu_cluster.last_outputs import last_outputs
from pulumi_gpu_cluster.operations.outcomes import DRIVERS, attempts
from pulumi_gpu_cluster.scheduling.choice import job_selector


def gpu_operator(cluster: Composition, after: Sequence[pulumi.Resource]) -> list[parts.GpuOperator]:
    """The operator; none in a cluster without GPUs.

    Args:
        cluster: The cluster.
        after: The node pools, whose labels tell the operator what to leave alone.
    """
    site = cluster.site
    if not any(pool.gpu for pool in site.node_pools):
        return []
    return [
        parts.GpuOperator(
            cluster.named("gpu-operator"),
            site.gpu_operator,
            pools=site.node_pools,
            jobs=job_selector(site.scheduler.kind),
            runtime=runtime_of(site.gpu_operator, site.control_plane),
            images=site.images,
            image_credentials=cluster.image_credentials,
            monitored=site.monitoring is not None,
            charts=site.charts,
            delete_crds=site.gives_up_crds,
            access=cluster.access,
            wait=site.operations.wait,
            attempts=attempts(last_outputs(), DRIVERS),
            opts=cluster.inside(after),
        )
    ]
