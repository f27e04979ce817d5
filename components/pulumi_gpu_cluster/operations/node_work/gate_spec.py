"""What the gate asks of the nodes of one pool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pulumi_gpu_cluster.catalog.mig import DISABLED
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU

SPEC_KEY: Final = "gate.json"
SCRIPT_KEY: Final = "gate.sh"
NAMESPACE: Final = "gpu-cluster-gate"
"""Where the gate's objects are, unless the site says otherwise."""

_OTHERS: Final = "nodes"


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
        sharing: The device plugin's configuration by which several pods share each GPU in the end;
            empty where they do not.
        unshared: Its configuration until then; empty for none.
    """

    gpus: int
    driver: str
    layout: str
    slices: Mapping[str, int]
    image: str
    tolerations: Sequence[Mapping[str, str]]
    sharing: str = ""
    unshared: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether the GPUs are cut into instances in the end."""
        return self.layout not in ("", DISABLED)

    @property
    def instances(self) -> int:
        """How many MIG instances the node has in the end, whole GPUs beside them left out.

        Under the single strategy instances go by the name of whole GPUs, and there are no others.
        """
        cut = [count for resource, count in self.slices.items() if resource != WHOLE_GPU]
        return sum(cut or self.slices.values())

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
            **({"sharing": self.sharing, "unshared": self.unshared} if self.sharing else {}),
        }


def specs_text(specs: Mapping[str, GateSpec]) -> str:
    """What is asked of a pool's nodes, as it stands in the ConfigMap.

    Args:
        specs: The spec of each node, by name. Nodes differ by how they are cut, in nothing else.
    """
    usual = next(iter(specs.values()))
    others = {
        node: {"layout": spec.layout, "slices": dict(spec.slices)}
        for node, spec in specs.items()
        if spec.layout != usual.layout
    }
    content = cast("dict[str, Any]", json.loads(usual.text()))
    return json.dumps({**content, **({_OTHERS: others} if others else {})}, sort_keys=True)


def read_spec(text: str, node: str = "") -> GateSpec:
    """Reads what `text` or `specs_text` wrote.

    Args:
        text: The text.
        node: Whose spec is wanted.
    """
    content = cast("dict[str, Any]", json.loads(text))
    others: Mapping[str, Mapping[str, Any]] = content.pop(_OTHERS, {})
    return GateSpec(**{**content, **others.get(node, {})})
