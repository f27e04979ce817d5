"""A node that is no machine is refused by the real API server; machines still join."""

from __future__ import annotations

import pytest
from lightkube import ApiError, Client
from lightkube.models.core_v1 import (
    NodeDaemonEndpoints,
    NodeStatus,
    NodeSystemInfo,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node

POOL = {"gpu-cluster.io/pool": "train"}


def _status(kubelet_version: str) -> NodeStatus:
    info = NodeSystemInfo(
        architecture="amd64",
        bootID="",
        containerRuntimeVersion="",
        kernelVersion="",
        kubeProxyVersion="",
        kubeletVersion=kubelet_version,
        machineID="",
        operatingSystem="linux",
        osImage="",
        systemUUID="",
    )
    return NodeStatus(nodeInfo=info, daemonEndpoints=NodeDaemonEndpoints())


def test_a_slip_in_a_hostlist_makes_no_node(client: Client) -> None:
    node = Node(metadata=ObjectMeta(name="gpu99", labels=POOL))
    with pytest.raises(ApiError, match="there is no node gpu99; let the machine join") as refused:
        client.apply(node, field_manager="test", force=True)
    assert "take it out of the pool train" in str(refused.value)


@pytest.mark.parametrize(
    ("labels", "version"),
    [(POOL, "v1.36.3"), ({}, "")],
    ids=["a kubelet that brings our label", "a node that is no business of ours"],
)
def test_machines_and_other_peoples_nodes_pass(
    client: Client, labels: dict[str, str], version: str
) -> None:
    node = Node(metadata=ObjectMeta(name="guest", labels=labels), status=_status(version))
    client.create(node, dry_run=True)
