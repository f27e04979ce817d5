"""Design rules of labels and taints: what Kubernetes takes, and which are not the user's."""

from __future__ import annotations

from collections.abc import Iterator
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
    """A label or taint belongs to this package or to the GPU Operator."""
    for path, pool in case.each_pool():
        for section, keys in (("labels", pool.labels), ("selector", pool.selector or {})):
            for key in keys:
                owner = _owner(key)
                if owner is not None:
                    fix = "use a key of your own; the pool's settings say the rest"
                    yield Fault(f"{path}.{section}.{key}", f"{key} belongs to {owner}", fix)
        for index, taint in enumerate(pool.taints):
            if taint.key.startswith(OURS):
                message = f"{taint.key} belongs to this package"
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
