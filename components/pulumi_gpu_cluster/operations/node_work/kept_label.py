"""A label of a node that node work decides in place of the program.

Some labels must not be what the program says from the start: the gate says them in its own time.
Each has a manager of its own, and one owner at a time: the API server takes a label away when the
last manager lets go of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_gpu_cluster.operations.api_server import NODE, ApiServer
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of


@dataclass(frozen=True, slots=True)
class KeptLabel:
    """One such label.

    Attributes:
        key: Its key.
        manager: Under which name the API server keeps it.
        what: What it says, for people who read that it could not be written.
        answer: Label in which somebody answers to it; empty where nobody does.
    """

    key: str
    manager: str
    what: str
    answer: str = ""

    def differs(self, node: Mapping[str, Any], value: str | None) -> bool:
        """Whether a node is told something else; None lets go of the label."""
        return self._is_ours(node) if value is None else labels_of(node).get(self.key) != value

    def keep(self, access: ApiServer, name: str) -> None:
        """Takes what a node has over from the program, which is about to let go of it."""

        def once() -> None:
            value = labels_of(access.get(NODE, name)).get(self.key)
            if value is not None:
                access.apply(NODE, name, self._body(name, value), self.manager)

        access.persist(once, f"keep the {self.what} of node {name}")

    def say(self, access: ApiServer, name: str, value: str | None) -> bool:
        """Tells a node something.

        Args:
            access: The node's cluster.
            name: The node's name.
            value: What; None lets go of the label.

        Returns:
            Whether it was told something else until now.
        """

        def once() -> bool:
            node = access.get(NODE, name)
            differs = self.differs(node, value)
            if value is not None and differs and self.answer in labels_of(node):
                # Or the answer to the last word would be taken for that to this one.
                access.merge(NODE, name, {"metadata": {"labels": {self.answer: None}}})
            if differs or (value is not None and not self._is_ours(node)):
                access.apply(NODE, name, self._body(name, value), self.manager)
            return differs

        return access.persist(once, f"set the {self.what} of node {name}")

    def _body(self, name: str, value: str | None) -> dict[str, Any]:
        labels = {} if value is None else {self.key: value}
        return {"metadata": {"name": name, "labels": labels}}

    def _is_ours(self, node: Mapping[str, Any]) -> bool:
        managers = node["metadata"].get("managedFields") or ()
        return any(one["manager"] == self.manager for one in managers)
