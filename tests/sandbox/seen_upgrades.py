"""What nodes go through while somebody changes something: each state of the driver, once."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, cast

from lightkube import Client
from lightkube.resources.core_v1 import Node
from sandbox_project import labels_of

STATE: Final = "nvidia.com/gpu-driver-upgrade-state"
"""The label by which the GPU Operator says how far a node is."""


@dataclass
class Seen:
    """States in the order in which they came, by node."""

    states: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, node: str, state: str) -> None:
        """Keeps a state that differs from the one before."""
        states = self.states.setdefault(node, [])
        if not states or states[-1] != state:
            states.append(state)


@contextmanager
def watched_upgrades(client: Client) -> Generator[Seen]:
    """Looks at every node's state, many times a second, until the block is left."""
    seen, end = Seen(), threading.Event()

    def watch() -> None:
        while not end.is_set():
            for node in client.list(Node):
                name = (node.metadata.name if node.metadata else None) or ""
                labels = cast("dict[str, str]", (node.metadata and node.metadata.labels) or {})
                seen.add(name, labels.get(STATE, ""))
            time.sleep(0.05)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        end.set()
        thread.join()


def upgrade_state(client: Client, node: str) -> str:
    """How far a node is now."""
    return labels_of(client, node).get(STATE, "")
