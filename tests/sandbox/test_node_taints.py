"""`gpu-cluster node taints` against a real API server, with others writing at the same time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from lightkube import ApiError, Client
from lightkube.models.core_v1 import NodeSpec, Taint
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node
from lightkube.types import PatchType

from gpu_cluster_sandbox.cluster import Cluster

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
DRAIN = {"key": "gpu-cluster.io/drain", "effect": "NoExecute"}


@pytest.fixture
def node(bare_cluster: Cluster) -> Iterator[str]:
    client = bare_cluster.client()
    spec = NodeSpec(taints=[Taint(key="theirs", effect="NoSchedule", value="1")])
    client.create(Node(metadata=ObjectMeta(name="taints01"), spec=spec))
    yield "taints01"
    client.delete(Node, "taints01")


def taints(
    cluster: Cluster, *arguments: str, wanted: object = None, **variables: str
) -> tuple[int, str]:
    environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), **variables}
    if wanted is not None:
        environment["GPU_CLUSTER_TAINTS"] = json.dumps(wanted)
    stdin = cluster.kubeconfig.read_text() if "GPU_CLUSTER_KUBECONFIG" in variables else ""
    done = subprocess.run(
        [str(Path(sys.executable).parent / "gpu-cluster"), "node", "taints", *arguments],
        env=environment,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=90,
        check=False,
    )
    assert "Traceback" not in done.stdout
    return done.returncode, done.stdout


def found(client: Client, node: str) -> set[tuple[str, str]]:
    spec = client.get(Node, node).spec
    every = spec.taints if spec is not None else None
    return {(one.key, one.value or "") for one in every or []}


def test_ours_come_change_and_go_and_theirs_stay(bare_cluster: Cluster, node: str) -> None:
    client = bare_cluster.client()
    assert taints(bare_cluster, node, wanted=[GPU, DRAIN]) == (
        0,
        (
            "node taints01: set gpu-cluster.io/drain:NoExecute\n"
            "node taints01: set nvidia.com/gpu=present:NoSchedule\n"
        ),
    )
    assert found(client, node) >= {("theirs", "1"), ("nvidia.com/gpu", "present")}
    again = taints(bare_cluster, node, wanted=[GPU, DRAIN])
    assert again == (0, "node taints01: nothing to change\n")
    assert taints(bare_cluster, node, wanted=[dict(GPU, value="new")]) == (
        0,
        (
            "node taints01: set nvidia.com/gpu=new:NoSchedule\n"
            "node taints01: removed gpu-cluster.io/drain:NoExecute\n"
        ),
    )
    removed = "node taints01: removed nvidia.com/gpu=new:NoSchedule\n"
    assert taints(bare_cluster, node, "--remove") == (0, removed)
    assert ("theirs", "1") in found(client, node)
    metadata = client.get(Node, node).metadata
    assert metadata is not None
    assert "gpu-cluster.io/taints" not in (metadata.annotations or {})


def test_nobodys_taint_is_lost_when_many_write_at_once(bare_cluster: Cluster, node: str) -> None:
    keys = [f"theirs-{number}" for number in range(6)]
    writers = [
        threading.Thread(target=add, args=(bare_cluster.client(), node, key)) for key in keys
    ]
    for writer in writers:
        writer.start()
    code, output = taints(bare_cluster, node, wanted=[GPU])
    for writer in writers:
        writer.join()
    assert code == 0, output
    expected = {("nvidia.com/gpu", "present"), ("theirs", "1"), *((key, "") for key in keys)}
    assert found(bare_cluster.client(), node) >= expected


def add(client: Client, node: str, key: str) -> None:
    """Adds a taint as a well-behaved controller does: under the version that it has read."""
    for _ in range(100):
        there: Any = client.get(Node, node)
        taints: list[dict[str, str]] = [one.to_dict() for one in there.spec.taints or ()]
        patch: dict[str, Any] = {
            "metadata": {"resourceVersion": there.metadata.resourceVersion},
            "spec": {"taints": [*taints, {"key": key, "effect": "NoSchedule"}]},
        }
        try:
            client.patch(Node, node, patch, patch_type=PatchType.MERGE)
        except ApiError as conflict:
            if conflict.status.code != 409:
                raise
        else:
            return


def test_the_kubeconfig_may_come_on_standard_input(bare_cluster: Cluster, node: str) -> None:
    variables: Mapping[str, str] = {"GPU_CLUSTER_KUBECONFIG": "-", "KUBECONFIG": "/nowhere"}
    code, output = taints(bare_cluster, node, wanted=[GPU], **variables)
    assert (code, output) == (0, "node taints01: set nvidia.com/gpu=present:NoSchedule\n")


def test_a_node_that_is_not_there_is_an_error_unless_ours_were_to_go(bare_cluster: Cluster) -> None:
    assert taints(bare_cluster, "gone", wanted=[GPU]) == (
        1,
        (
            'Error: cannot set the taints of node gone: nodes "gone" not found; fix: let the node '
            "join, or take it out of its pool\n"
        ),
    )
    assert taints(bare_cluster, "gone", "--remove") == (0, "node gone is gone\n")


def test_who_may_not_is_told_so_by_one_line(
    bare_cluster: Cluster, node: str, tmp_path: Path
) -> None:
    config = json.loads(bare_cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {}
    stranger = tmp_path / "kubeconfig"
    stranger.write_text(json.dumps(config))
    code, output = taints(bare_cluster, node, wanted=[GPU], KUBECONFIG=str(stranger))
    assert code == 1
    assert output.startswith("Error: cannot set the taints of node taints01: ")
    assert output.endswith(
        (
            "; fix: have the verb granted by RBAC\n",
            "credentials; fix: use a kubeconfig that is still valid\n",
        )
    )
    assert output.count("\n") == 1
