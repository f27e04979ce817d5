"""Brings the cluster's simulated nodes in line with the site, again and again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Final, cast

from lightkube import Client
from lightkube.resources.core_v1 import Node, NodeStatus

from gpu_cluster_sandbox.nodes.manifests import RDMA_NOTE, Manifest, simulated_nodes
from pulumi_gpu_cluster.site import Site

FIELD_MANAGER: Final = "gpu-cluster-sandbox-nodes"
"""The manager of what is said of simulated nodes here; kwok and the product have their own."""

APPLIED: Final = "sandbox.gpu-cluster.io/applied"
"""The annotation with a digest of what was applied; only nodes that have it are ever pruned."""

SEEN: Final = "sandbox.gpu-cluster.io/seen"
"""The annotation by which a node changes without anything else about it."""

NIC_READY_LABEL: Final = "network.nvidia.com/operator.mofed.wait"
"""The label that the Network Operator puts on a node whose adapters it knows."""

# lightkube types no making of a resource from a mapping, and no listing.
_NODE: Final[Any] = Node
_NODE_STATUS: Final[Any] = NodeStatus
_PRODUCT: Final = "nvidia.com/gpu.product"
_AT_ONCE: Final = 8
_REPORT_EVERY: Final = 500


def apply_nodes(
    client: Client,
    site: Site,
    report: Callable[[str], None] = lambda _: None,
    *,
    discovered: bool = True,
) -> None:
    """Makes the cluster's simulated nodes those of the site, and touches no other node.

    Nodes that are there and as they should be are left alone. Server-side apply with a manager
    of its own leaves labels and taints of others on the nodes as they are.

    Args:
        client: An administrator of the cluster.
        site: The site whose machines are simulated.
        report: Takes a line of progress now and then, where there are many nodes.
        discovered: Whether the GPU Operator's label of the GPUs' presence comes with them.
    """
    live = {
        node["metadata"]["name"]: node for node in _nodes(client) if APPLIED in _annotations(node)
    }
    wanted = {
        node["metadata"]["name"]: node for node in simulated_nodes(site, discovered=discovered)
    }
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        work = [pool.submit(_apply, client, node, live.get(name)) for name, node in wanted.items()]
        work += [pool.submit(client.delete, Node, name) for name in live.keys() - wanted.keys()]
        for number, done in enumerate(as_completed(work), start=1):
            done.result()
            if number % _REPORT_EVERY == 0:
                report(f"simulated nodes: {number} of {len(work)}")


def show_nodes_to_operators(client: Client) -> None:
    """Lets the stages that charts brought play on the nodes that wait for them.

    kwok looks at a node when it changes, and a stage that comes later never sees one that does
    not. Nodes on which the Network Operator has been, or which have no fabric, are left alone.

    Args:
        client: An administrator of the cluster.
    """
    for node in _nodes(client):
        if RDMA_NOTE in _annotations(node) and NIC_READY_LABEL not in _labels(node):
            seen = {SEEN: node["metadata"]["resourceVersion"]}
            client.patch(Node, node["metadata"]["name"], {"metadata": {"annotations": seen}})


def _nodes(client: Client) -> Iterator[Manifest]:
    for node in cast("Any", client).list(_NODE):
        yield node.to_dict()


def _apply(client: Client, node: Manifest, live: Manifest | None) -> None:
    node["metadata"]["annotations"][APPLIED] = _digest(node)
    if live is not None:
        _keep_product_as_cut(node, live)
        if _holds(node, live):
            return
    client.apply(_NODE.from_dict(node), force=True, field_manager=FIELD_MANAGER)
    if live is not None:
        _apply_amounts(client, node)


def _apply_amounts(client: Client, node: Manifest) -> None:
    """A node's status comes with a new node only; later it has a way of its own.

    GPUs are left out: what they are cut into is for the stages to say.
    """
    status = {
        field: {name: amount for name, amount in node["status"][field].items() if "/" not in name}
        for field in ("capacity", "allocatable")
    }
    name = node["metadata"]["name"]
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}
    client.apply(_NODE_STATUS.from_dict(body), name, force=True, field_manager=FIELD_MANAGER)


def _keep_product_as_cut(node: Manifest, live: Manifest) -> None:
    """Under the single strategy a node calls itself by what its GPUs are cut into."""
    plain, now = (_labels(manifest).get(_PRODUCT, "") for manifest in (node, live))
    if now.startswith(f"{plain}-MIG-"):
        node["metadata"]["labels"][_PRODUCT] = now


def _holds(node: Manifest, live: Manifest) -> bool:
    """Whether a live node has all that is wanted of it, and had nothing else applied before."""
    return (
        _labels(node).items() <= _labels(live).items()
        and _annotations(node).items() <= _annotations(live).items()
        and all(taint in live.get("spec", {}).get("taints", []) for taint in _wanted_taints(node))
    )


def _wanted_taints(node: Manifest) -> list[dict[str, str]]:
    # An empty value is not kept by the API server.
    return [
        {key: value for key, value in taint.items() if value}
        for taint in node["spec"].get("taints", [])
    ]


def _labels(node: Manifest) -> Mapping[str, str]:
    return node["metadata"].get("labels") or {}


def _annotations(node: Manifest) -> Mapping[str, str]:
    return node["metadata"].get("annotations") or {}


def _digest(node: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(node, sort_keys=True).encode()).hexdigest()[:16]
