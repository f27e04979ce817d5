"""Whether a MIG layout fits a board, as both rules about it say it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.catalog.mig import DISABLED, instances_of, why_not

if TYPE_CHECKING:
    from gpu_cluster_policies.rule import Config

SETTINGS: Final[Mapping[str, dict[str, Any]]] = {
    "boards": {
        "type": "object",
        "description": "GPU model in the catalogue, such as A100-SXM4-80GB, by the name of a pool "
        "or of a node.",
        "additionalProperties": {"type": "string", "enum": sorted(GPUS)},
    },
    "layouts": {
        "type": "object",
        "description": "Layouts of your own MIG Manager configuration: instances of one GPU, as "
        "profile name and number.",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 0},
        },
    },
}
"""What the pack's configuration may say, for each rule that judges layouts."""

IN_FILE: Final = "in the file given with --policy-pack-config"

# GPU Feature Discovery adds the profile (under the single strategy) or that the GPU is shared.
_PRODUCT_SUFFIX: Final = re.compile(r"-MIG-.*$|-SHARED$")


def model_of_product(product: str) -> str:
    """The catalogue's name of what GPU Feature Discovery found; empty where it has none."""
    whole = _PRODUCT_SUFFIX.sub("", product)
    return next((name for name, gpu in GPUS.items() if gpu.gfd_product == whole), "")


def misfit(model: str, layout: str, config: Config, rule: str) -> str | None:
    """Says why a layout is refused on a model and the way out; None where it fits.

    Args:
        model: The GPU's name in the catalogue.
        layout: The layout's name.
        config: Settings of the rule that asks.
        rule: Its id, for the way out.
    """
    gpu = GPUS.get(model)
    board = gpu.mig if gpu is not None else None
    own: Mapping[str, Mapping[str, float]] = config.get("layouts", {})
    if layout == DISABLED:
        return None
    if gpu is None:
        return (
            f"cannot judge the MIG layout {layout}, the catalogue has no GPU called {model}; "
            f"fix: name one that is cut alike with {rule}.boards {IN_FILE}"
        )
    if board is None:
        return f"the MIG layout {layout} does not fit {model}: it has no MIG; fix: use {DISABLED}"
    instances: Mapping[str, int] | None
    if layout in own:
        # The engine turns every number into a float.
        instances = {name: int(count) for name, count in own[layout].items()}
    elif layout.startswith("all-"):
        instances = instances_of(board, layout)
    else:
        return (
            f"cannot judge the MIG layout {layout}, MIG Manager makes none of this name by itself; "
            f"fix: say which instances it has with {rule}.layouts {IN_FILE}"
        )
    reason = (
        "MIG Manager makes none of this name for it"
        if instances is None
        else why_not(board, instances)
    )
    return reason and (
        f"the MIG layout {layout} does not fit {model}: {reason}; "
        f"fix: use {', '.join(board.layouts)}"
    )
