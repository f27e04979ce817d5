"""Reads a node, changes what is ours on it, and writes it back if nobody else wrote in between."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pulumi_gpu_cluster.operations.api_server import NODE
from pulumi_gpu_cluster.operations.node_work.taints import ANNOTATION, Change, change, remembered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_gpu_cluster.operations.api_server import ApiServer
    from pulumi_gpu_cluster.operations.node_work.taints import Taint


def set_taints(access: ApiServer, node: str, wanted: Sequence[Taint]) -> Change:
    """Gives a node the wanted taints and takes those of ours that are wanted no more.

    Args:
        access: The node's cluster.
        node: The node's name.
        wanted: All taints of ours; none takes ours away.

    Returns:
        What was changed, which is nothing where it was right already.

    Raises:
        NotThereError: There is no such node.
        AccessError: The API server refuses or cannot be reached.
        TaintError: The taints cannot be had.
    """
    return access.persist(lambda: _once(access, node, wanted), f"set the taints of node {node}")


def _once(access: ApiServer, name: str, wanted: Sequence[Taint]) -> Change:
    node = access.get(NODE, name)
    metadata = node["metadata"]
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    ours = remembered(annotations, name)
    done = change(node.get("spec", {}).get("taints") or [], ours, wanted, name)
    memory = [taint.entry for taint in done.ours]
    if not done.added and not done.removed and tuple(done.ours) == ours:
        return done
    patch = {
        "metadata": {
            # With it the API server refuses to patch a node that somebody else has changed since.
            "resourceVersion": metadata["resourceVersion"],
            "annotations": {ANNOTATION: json.dumps(memory) if memory else None},
        },
        "spec": {"taints": done.taints},
    }
    access.merge(NODE, name, patch)
    return done
