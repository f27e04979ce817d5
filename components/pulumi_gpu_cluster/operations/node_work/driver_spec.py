"""What is wanted of the drivers of one pool, and in which order its nodes get them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import devices_per_node
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs, nodes_of_wave

_DIGITS: Final = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class DriverSpec:
    """What is wanted.

    Attributes:
        pool: Name of the pool, of its label's value and of its NVIDIADriver.
        version: The driver's version.
        canary: Nodes that get it first.
        wave: How many get it at a time after that: 4 or 25%.
        devices: GPU resources that a node offers once it works again.
        namespace: Namespace of the GPU Operator.
    """

    pool: str
    version: str
    canary: Sequence[str]
    wave: str
    devices: Mapping[str, int]
    namespace: str

    def text(self) -> str:
        """As the program hands it to node work."""
        return json.dumps(asdict(self), sort_keys=True)

    def next_wave(self, waiting: Collection[str], pool: int) -> list[str]:
        """The nodes that come next: canaries while one is left, then the first of the others.

        Args:
            waiting: Names of the nodes that have not begun.
            pool: Nodes of the pool, of which a wave may be a part.
        """
        first = [name for name in in_order(waiting) if name in self.canary]
        return first or in_order(waiting)[: nodes_of_wave(self.wave, pool)]

    def waves(self, waiting: Collection[str], pool: int) -> list[list[str]]:
        """All waves to come."""
        left, waves = set(waiting), list[list[str]]()
        while left:
            waves.append(self.next_wave(left, pool))
            left -= set(waves[-1])
        return waves


def read_driver_spec(text: str) -> DriverSpec:
    """Reads what `text` wrote."""
    return DriverSpec(**cast("dict[str, Any]", json.loads(text)))


def driver_spec(pool: NodePoolArgs, namespace: str) -> DriverSpec | None:
    """What a pool's site file asks for; None where its drivers do not come in waves.

    In waves go the nodes that the site names and Kubernetes schedules. Nodes found by a selector
    are never touched, and to Slurm an upgrade is a loss of jobs.
    """
    driver = pool.driver
    if pool.gpu is None or driver is None or driver.source != "operator" or not pool.node_names:
        return None
    if pool.workload != "kubernetes":
        return None
    upgrade = driver.upgrade or UpgradeArgs()
    return DriverSpec(
        pool=pool.name,
        version=driver.version or "",
        canary=upgrade.canaries or pool.node_names[:1],
        wave=upgrade.wave,
        # Nodes that are cut differently are only held against what they offered before.
        devices=dict(devices_per_node(pool)) if len(parts_of(pool)) == 1 else {},
        namespace=namespace,
    )


def in_order(names: Collection[str]) -> list[str]:
    """Names as people count: gpu9 before gpu10."""
    return sorted(names, key=lambda name: [(one.zfill(12), one) for one in _DIGITS.split(name)])
