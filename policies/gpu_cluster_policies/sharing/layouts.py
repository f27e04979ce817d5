"""Whether a MIG layout fits a board, as both rules about it say it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from gpu_cluster_policies.rule import IN_FILE, Config
from gpu_cluster_policies.settings import BOARDS, LAYOUTS
from pulumi_gpu_cluster.catalog.gpus import GPUS, GpuModel
from pulumi_gpu_cluster.catalog.mig import DISABLED, instances_of, why_not
from pulumi_gpu_cluster.node_pools.gpu_args import GpuFacts
from pulumi_gpu_cluster.node_pools.gpu_model import model_from
from pulumi_gpu_cluster.node_pools.props import PoolProps
from pulumi_gpu_cluster.reading.shape import validated

SETTINGS: Final[Mapping[str, dict[str, Any]]] = {"boards": dict(BOARDS), "layouts": dict(LAYOUTS)}
"""What the pack's configuration may say, for each rule that judges layouts."""

# GPU Feature Discovery adds the profile (under the single strategy) or that the GPU is shared.
_PRODUCT_SUFFIX: Final = re.compile(r"-MIG-.*$|-SHARED$")


def model_of_product(product: str) -> str:
    """The catalogue's name of what GPU Feature Discovery found; empty where it has none."""
    whole = _PRODUCT_SUFFIX.sub("", product)
    return next((name for name, gpu in GPUS.items() if gpu.gfd_product == whole), "")


def misfit(
    model: str, layout: str, config: Config, rule: str, pool: PoolProps | None = None
) -> str | None:
    """Says why a layout is refused on a model and the way out; None where it fits.

    Args:
        model: The GPU's name in the catalogue, or what its pool calls it.
        layout: The layout's name.
        config: Settings of the rule that asks.
        rule: Its id, for the way out.
        pool: The pool whose nodes they are: it may tell of the GPU and of layouts itself.
    """
    gpu = _gpu(model, pool)
    board = gpu.mig if gpu is not None else None
    if layout == DISABLED:
        return None
    if gpu is None:
        return (
            f"cannot judge the MIG layout {layout}, the catalogue has no GPU called {model}; "
            f"fix: name one that is cut alike with {rule}.boards {IN_FILE}"
        )
    if board is None:
        return f"the MIG layout {layout} does not fit {model}: it has no MIG; fix: use {DISABLED}"
    kinds = _told(layout, config, pool)
    if kinds is None and not layout.startswith("all-"):
        return (
            f"cannot judge the MIG layout {layout}, MIG Manager makes none of this name by itself; "
            f"fix: say which instances it has with {rule}.layouts {IN_FILE}"
        )
    named = instances_of(board, layout) if kinds is None else None
    if kinds is None and named is None:
        reason: str | None = "MIG Manager makes none of this name for it"
    else:
        reasons = (why_not(board, one) for one in kinds or (named or {},))
        reason = next((one for one in reasons if one is not None), None)
    return reason and (
        f"the MIG layout {layout} does not fit {model}: {reason}; "
        f"fix: use {', '.join(board.layouts)}"
    )


def _gpu(model: str, pool: PoolProps | None) -> GpuModel | None:
    """The GPU of a name; what its pool says of it goes before the catalogue."""
    if pool is None or model != pool.gpu_model or not pool.gpu_facts:
        return GPUS.get(model)
    facts, _ = validated(GpuFacts, _plain(pool.gpu_facts), quote=False)
    return GPUS.get(model) if facts is None else model_from(model, facts)


def _told(
    layout: str, config: Config, pool: PoolProps | None
) -> Sequence[Mapping[str, int]] | None:
    """The instances of each kind of GPU in a layout that no board has by itself."""
    own: Mapping[str, Mapping[str, float]] = config.get("layouts", {})
    if layout in own:
        # The engine turns every number into a float.
        return ({name: int(count) for name, count in own[layout].items()},)
    return (pool.mig_layouts.get(layout) or None) if pool is not None else None


def _plain(value: object) -> object:
    """What the engine hands over as mappings and lists of its own, as plain ones."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[str, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in cast("Sequence[object]", value)]
    return value
