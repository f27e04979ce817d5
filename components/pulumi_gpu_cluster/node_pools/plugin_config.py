"""The device plugin's configurations: how a pool's GPUs are shared, and how instances are named.

The device plugin and GPU Feature Discovery read one per node, by the node's label. It outweighs no
environment variable: where the operator exports one MIG strategy for all nodes, a node's own is
not heard. So the operator exports one only where all pools agree, and each cut pool has a
configuration of its own where they do not.
source: NVIDIA/k8s-device-plugin v0.20.0 api/config/v1, cmd/nvidia-device-plugin/main.go;
NVIDIA/gpu-operator v26.7.0 controllers/object_controls.go, applyMIGConfiguration
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import resource_name
from pulumi_gpu_cluster.node_pools.cuts import is_cut
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU

PLUGIN_CONFIGS: Final = "gpu-cluster-device-plugin"
"""Name of the ConfigMap that holds all configurations. It never changes: a new name would restart
the device plugin of every node, and with it the MPS servers."""

_SHARING_KEYS: Final = {"time-slicing": "timeSlicing", "mps": "mps"}


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """One configuration.

    Attributes:
        name: Its name, which says all that it holds: what is changed gets another one, and a
            node's plugin reads its configuration when the name changes.
        content: What the device plugin reads.
    """

    name: str
    content: Mapping[str, Any]

    def text(self) -> str:
        """As it stands in the ConfigMap; JSON is YAML too."""
        return json.dumps(self.content, indent=1, sort_keys=True)


def cluster_strategy(pools: Iterable[NodePoolArgs]) -> Literal["single", "mixed"] | None:
    """The MIG strategy that holds for every node; None where each cut pool has its own.

    The device plugin does not start with MPS under `mixed`, whether anything is cut or not.
    """
    with_gpus = [pool for pool in pools if pool.gpu is not None]
    if any(pool.sharing is not None and pool.sharing.kind == "mps" for pool in with_gpus):
        return None
    strategies = {pool.mig.strategy for pool in with_gpus if pool.mig is not None and is_cut(pool)}
    if len(strategies) > 1:
        return None
    # Without MIG pools both mean the same; this one lets the first such pool be added without a
    # change for everybody.
    return "single" if strategies == {"single"} else "mixed"


def plugin_config(pool: NodePoolArgs, pools: Sequence[NodePoolArgs]) -> PluginConfig | None:
    """What the pool's nodes are told in the end; None where nothing has to be said.

    Args:
        pool: The pool.
        pools: All pools of the cluster.
    """
    return _config(pool, pools, shared=True)


def unshared_config(pool: NodePoolArgs, pools: Sequence[NodePoolArgs]) -> PluginConfig | None:
    """What they are told while each GPU is one pod's: while the gate counts them."""
    return _config(pool, pools, shared=False)


def plugin_configs(pools: Sequence[NodePoolArgs]) -> Mapping[str, str]:
    """Every configuration of the site, by name."""
    wanted = (make(pool, pools) for pool in pools for make in (plugin_config, unshared_config))
    return {one.name: one.text() for one in wanted if one is not None}


def _config(
    pool: NodePoolArgs, pools: Sequence[NodePoolArgs], *, shared: bool
) -> PluginConfig | None:
    if pool.gpu is None:
        return None
    strategy = pool.mig.strategy if pool.mig is not None and is_cut(pool) else "none"
    flags = {"version": "v1", "flags": {"migStrategy": strategy}}
    cut = f"mig-{strategy}"
    if pool.sharing is None or not shared:
        of_its_own = strategy != "none" and cluster_strategy(pools) is None
        return PluginConfig(cut, flags) if of_its_own else None
    replicas = pool.sharing.replicas
    resources = _resources(pool, strategy)
    sharing = {
        # Here and nowhere else: under flags it is silently not heard.
        "renameByDefault": True,
        # Two shares may be of one GPU: who asks for two gets no more than with one.
        "failRequestsGreaterThanOne": True,
        "resources": [{"name": name, "replicas": replicas} for name in resources],
    }
    name = f"{pool.sharing.kind}-{replicas}"
    if strategy != "none":
        digest = hashlib.sha256(json.dumps(resources).encode()).hexdigest()[:8]
        name = f"{name}-{cut}" + (f"-{digest}" if strategy == "mixed" else "")
    return PluginConfig(name, {**flags, "sharing": {_SHARING_KEYS[pool.sharing.kind]: sharing}})


def _resources(pool: NodePoolArgs, strategy: str) -> list[str]:
    """Every resource that nodes of the pool may have: another layout is no other configuration."""
    model = model_of(pool.gpu) if pool.gpu is not None else None
    board = model.mig if model is not None else None
    if strategy != "mixed" or board is None:
        return [WHOLE_GPU]
    return [WHOLE_GPU, *sorted(resource_name(f"mig-{profile}") for profile in board.profiles)]
