"""Design rules of labels and taints: what Kubernetes takes, and which are not the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.kubernetes_names import (
    KEY_WORDS,
    OURS,
    VALUE_WORDS,
    is_label_key,
    is_label_value,
)
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule

# source: NVIDIA/gpu-operator v26.7.0: labels that the operator and MIG Manager write or obey,
# and that this package sets from the pool's other settings
_MANAGED: Final = ("nvidia.com/gpu.present", "nvidia.com/mig.config", "nvidia.com/mig.config.state")
_MANAGED_PREFIXES: Final = ("nvidia.com/gpu.deploy.", "nvidia.com/gpu-operator.driver.")
# source: NVIDIA/k8s-device-plugin GPU Feature Discovery, NVIDIA/gpu-operator v26.7.0: what
# they write, or what takes a node's GPUs away from pods; Kubernetes: what each kubelet says.
# A selector may go by them.
_WRITTEN_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kubernetes.io/hostname": "the kubelet",
        "kubernetes.io/os": "the kubelet",
        "kubernetes.io/arch": "the kubelet",
        "nvidia.com/gpu.product": "GPU Feature Discovery",
        "nvidia.com/gpu.count": "GPU Feature Discovery",
        "nvidia.com/gpu.memory": "GPU Feature Discovery",
        "nvidia.com/gpu.replicas": "GPU Feature Discovery",
        "nvidia.com/gpu.sharing-strategy": "GPU Feature Discovery",
        "nvidia.com/mps.capable": "GPU Feature Discovery",
        "nvidia.com/mig.capable": "GPU Feature Discovery",
        "nvidia.com/mig.strategy": "GPU Feature Discovery",
        "nvidia.com/gpu.workload.config": "the GPU Operator",
        "nvidia.com/gpu-driver-upgrade-state": "the GPU Operator",
        "nvidia.com/device-plugin.config": "this package, which sets it from the pool's sharing",
    }
)
_FEATURES: Final = "feature.node.kubernetes.io/"
# Taints that the node lifecycle controllers set and remove by a node's state.
_LIFECYCLE: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_PRODUCT: Final = "nvidia.com/gpu.product"


@rule(ERROR, waivable=False)
def label_malformed(case: Case) -> Iterator[Fault]:
    """A label's or taint's key or value is none that Kubernetes takes."""
    for path, pool in case.each_pool():
        pairs = [(f"{path}.labels.{key}", key, value) for key, value in pool.labels.items()]
        pairs += [
            (f"{path}.selector.{key}", key, value) for key, value in (pool.selector or {}).items()
        ]
        pairs += [
            (f"{path}.taints[{index}]", taint.key, taint.value)
            for index, taint in enumerate(pool.taints)
        ]
        for where, key, value in pairs:
            if not is_label_key(key):
                yield Fault(where, f"{key!r} cannot be a key", f"use {KEY_WORDS}")
            if not is_label_value(value):
                yield Fault(where, f"{value!r} cannot be a value", f"use {VALUE_WORDS}")


@rule(ERROR, waivable=False)
def labels_with_selector(case: Case) -> Iterator[Fault]:
    """A pool found by a selector asks for labels, and we never touch its nodes."""
    for path, pool in case.each_pool():
        if pool.selector is not None and pool.labels:
            fix = "set them where the nodes are made, or name the nodes with nodes"
            yield Fault(f"{path}.labels", "we set no labels on nodes found by a selector", fix)


@rule(ERROR)
def label_reserved(case: Case) -> Iterator[Fault]:
    """A label or taint belongs to this package, the GPU Operator or Kubernetes."""
    for path, pool in case.each_pool():
        for section, keys in (("labels", pool.labels), ("selector", pool.selector or {})):
            for key in keys:
                owner = _owner(key) or (_writer(key) if section == "labels" else None)
                if owner is not None:
                    fix = "use a key of your own; the pool's settings say the rest"
                    yield Fault(f"{path}.{section}.{key}", f"{key} belongs to {owner}", fix)
        for index, taint in enumerate(pool.taints):
            if taint.key.startswith(OURS):
                message = f"{taint.key} belongs to this package"
                yield Fault(f"{path}.taints[{index}].key", message, "use a key of your own")
            elif taint.key.startswith(_LIFECYCLE):
                message = f"{taint.key} belongs to Kubernetes, which takes it away again"
                yield Fault(f"{path}.taints[{index}].key", message, "use a key of your own")


@rule(ERROR)
def selector_by_product(case: Case) -> Iterator[Fault]:
    """A selector goes by the GPU's product, which GPU Feature Discovery rewrites."""
    for path, pool in case.each_pool():
        if _PRODUCT in (pool.selector or {}):
            message = f"{_PRODUCT} is written after the driver runs, and changes with MIG"
            fix = "select by a label that the node has from the start"
            yield Fault(f"{path}.selector.{_PRODUCT}", message, fix)


@rule(ERROR, waivable=False)
def taint_twice(case: Case) -> Iterator[Fault]:
    """A pool has the same taint twice."""
    for path, pool in case.each_pool():
        seen: set[tuple[str, str]] = set()
        for index, taint in enumerate(pool.taints):
            if (taint.key, taint.effect) in seen:
                message = f"{taint.key} with {taint.effect} stands here twice"
                yield Fault(f"{path}.taints[{index}]", message, "keep one of them")
            seen.add((taint.key, taint.effect))


def _writer(key: str) -> str | None:
    """Who writes a label that others may only read."""
    return "Node Feature Discovery" if key.startswith(_FEATURES) else _WRITTEN_BY.get(key)


def _owner(key: str) -> str | None:
    if key.startswith(OURS):
        return "this package"
    if key in _MANAGED or key.startswith(_MANAGED_PREFIXES):
        return "the GPU Operator"
    return None


RULES: Final[tuple[Rule, ...]] = (
    label_malformed,
    labels_with_selector,
    label_reserved,
    selector_by_product,
    taint_twice,
)
