"""The list of metrics that DCGM exporter reads on every GPU node."""

from __future__ import annotations

import hashlib
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.catalog.dcgm_metrics import metrics_csv

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, dcgmExporter.config: this key and no other
_KEY: Final = "dcgm-metrics.csv"


def metrics_list_name() -> str:
    """Name of the ConfigMap. It changes with the list: exporters read theirs when they start."""
    digest = hashlib.sha256(metrics_csv().encode()).hexdigest()
    return f"dcgm-metrics-{digest[:8]}"


def metrics_list(name: str, namespace: str, opts: pulumi.ResourceOptions) -> ConfigMap:
    """The list in the cluster, in the operator's namespace."""
    return ConfigMap(
        name,
        metadata=ObjectMetaArgs(name=metrics_list_name(), namespace=namespace),
        data={_KEY: metrics_csv()},
        opts=opts,
    )
