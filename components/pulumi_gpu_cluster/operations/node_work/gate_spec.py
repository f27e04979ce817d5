"""What the gate asks of the nodes of one pool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pulumi_gpu_cluster.catalog.mig import DISABLED

SPEC_KEY: Final = "gate.json"
SCRIPT_KEY: Final = "gate.sh"
NAMESPACE: Final = "gpu-cluster-gate"
"""Where the gate's objects are, unless the site says otherwise."""


def config_map_name(pool: str) -> str:
    """Name of the ConfigMap with a pool's spec and the script of its pods."""
    return f"gate-{pool}"


@dataclass(frozen=True, slots=True)
class GateSpec:
    """What is wanted of a node, and how it is asked.

    Attributes:
        gpus: GPUs of the node.
        driver: The driver's version; empty where nobody says which.
        layout: The MIG layout that follows the diagnosis; empty for a pool of whole GPUs.
        slices: MIG instances of the node by the resource that pods ask for.
        image: The image of the gate's pods.
        tolerations: What those need to come onto the node.
    """

    gpus: int
    driver: str
    layout: str
    slices: Mapping[str, int]
    image: str
    tolerations: Sequence[Mapping[str, str]]

    @property
    def is_cut(self) -> bool:
        """Whether the GPUs are cut into instances in the end."""
        return self.layout not in ("", DISABLED)

    @property
    def wants(self) -> str:
        """What is wanted of the node, as text: a change of it is a reason to ask anew."""
        return json.dumps(self._wanted(), sort_keys=True)

    def text(self) -> str:
        """As it stands in the ConfigMap."""
        how = {"image": self.image, "tolerations": [dict(one) for one in self.tolerations]}
        return json.dumps({**self._wanted(), **how}, sort_keys=True)

    def _wanted(self) -> dict[str, object]:
        return {
            "driver": self.driver,
            "gpus": self.gpus,
            "layout": self.layout,
            "slices": dict(self.slices),
        }


def read_spec(text: str) -> GateSpec:
    """Reads what `text` wrote."""
    return GateSpec(**cast("dict[str, Any]", json.loads(text)))
