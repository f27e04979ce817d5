"""Settings that several rules take, and the facts that no resource of a stack carries."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from gpu_cluster_policies.rule import IN_FILE, Config
from pulumi_gpu_cluster.catalog.gpus import GPUS

SHARED: Final = "gpu-cluster"
"""Name under which the configuration gives what holds for all rules; a rule's own wins."""

EXEMPT_NAMESPACES: Final = "exemptNamespaces"
PLATFORM_NAMESPACES: Final = (
    "*-system",
    "kube-*",
    "gpu-operator",
    "network-operator",
    "nvidia-*",
    "node-feature-discovery",
    "rook-ceph*",
    "beegfs*",
    "cert-manager",
    "slinky",
    "slurm*",
    "calico-*",
    "tigera-*",
    "cilium*",
    "node-problem-detector",
    "monitoring",
)
"""Namespaces of agents that need the host, where the configuration names none."""

TENANT_SELECTOR: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "Labels of a tenant's namespace; * stands for any value.",
    "additionalProperties": {"type": "string"},
    "minProperties": 1,
}
GPU_RESOURCES: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "GPU resources, such as nvidia.com/gpu, of a cluster whose node pools are not "
    "in the stack.",
    "items": {"type": "string"},
}
BOARDS: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "GPU model in the catalogue, such as A100-SXM4-80GB, by the name of a pool "
    "or of a node.",
    "additionalProperties": {"type": "string", "enum": sorted(GPUS)},
}
LAYOUTS: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "Layouts of your own MIG Manager configuration: instances of one GPU, as "
    "profile name and number.",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 0},
    },
}
POOLS: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "Node pools that are not in the stack, by name: nodes (and the most there can "
    "be, where it scales), GPU resources of each node, the GPU's model, the nodes' labels, and who "
    "installs the driver.",
    "additionalProperties": {
        "type": "object",
        "properties": {
            "nodes": {"type": "integer", "minimum": 0},
            "most": {"type": "integer", "minimum": 0},
            "resources": {
                "type": "object",
                "additionalProperties": {"type": "integer", "minimum": 0},
            },
            "gpu": {"type": "string", "enum": sorted(GPUS)},
            "selector": {"type": "object", "additionalProperties": {"type": "string"}},
            "driver": {"enum": ["operator", "host", "managed"]},
        },
        "additionalProperties": False,
    },
}
NAMESPACES: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Namespaces, by patterns, in which what needs the host may run. By default "
    f"those of the platform: {', '.join(PLATFORM_NAMESPACES)}.",
    "items": {"type": "string"},
}
MANAGED: Final[Mapping[str, Any]] = {
    "type": "boolean",
    "description": "Whether a cloud's node images bring the GPU driver.",
}
SCHEDULER: Final[Mapping[str, Any]] = {
    "enum": ["kueue", "volcano", "none"],
    "description": "Who queues GPU work, where the stack does not hold the queues.",
}
AS_OF: Final[Mapping[str, Any]] = {
    "type": "string",
    "pattern": r"^\d{4}-\d{2}-\d{2}$",
    "description": "The day to judge by, for rules with a date; today by default.",
}

SHARED_SETTINGS: Final[Mapping[str, dict[str, Any]]] = MappingProxyType(
    {
        "tenantSelector": dict(TENANT_SELECTOR),
        "gpuResources": dict(GPU_RESOURCES),
        "boards": dict(BOARDS),
        "layouts": dict(LAYOUTS),
        "pools": dict(POOLS),
        EXEMPT_NAMESPACES: dict(NAMESPACES),
        "managedNodes": dict(MANAGED),
        "scheduler": dict(SCHEDULER),
        "asOf": dict(AS_OF),
    }
)
"""Schema of what may stand under `SHARED`."""


def is_platform(namespace: str, config: Config) -> bool:
    """Whether what needs the host may run in a namespace."""
    patterns = config.get(EXEMPT_NAMESPACES, PLATFORM_NAMESPACES)
    return any(fnmatch.fnmatchcase(namespace, pattern) for pattern in patterns)


def cannot_judge(what: str, missing: str, setting: str, example: str = "") -> str:
    """How a rule says that nothing tells it what it needs.

    Args:
        what: What it cannot judge.
        missing: What nothing tells.
        setting: The shared setting that would.
        example: What could stand there.
    """
    shown = f", for example {example}" if example else ""
    return f"cannot judge {what}: {missing}; fix: set {SHARED}.{setting} {IN_FILE}{shown}"
