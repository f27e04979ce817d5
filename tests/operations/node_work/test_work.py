"""What happens when the API server is busy, ahead of us, or says no."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from api_stub import SERVER, Clock, api_server, status

from pulumi_gpu_cluster.operations.api_server import AccessError, NotThereError
from pulumi_gpu_cluster.operations.node_work.taints import ANNOTATION, Taint
from pulumi_gpu_cluster.operations.node_work.work import set_taints

GPU = Taint("nvidia.com/gpu", "NoSchedule", "present")


class OneNode:
    """A node that somebody else writes to just before the first patches arrive."""

    def __init__(self, foreign_writes: int) -> None:
        self.version = 1
        self.foreign_writes = foreign_writes
        self.taints: list[dict[str, Any]] = []
        self.annotations: dict[str, str] = {"kept": "yes"}
        self.patches = 0

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        assert request.url.path == "/api/v1/nodes/gpu01"
        if request.method == "PATCH":
            self.patches += 1
            assert request.headers["Content-Type"] == "application/merge-patch+json"
            if self.foreign_writes:
                self.foreign_writes -= 1
                self.version += 1
                self.taints.append({"key": f"foreign{self.version}", "effect": "NoExecute"})
            patch = json.loads(request.content)
            if patch["metadata"]["resourceVersion"] != str(self.version):
                return status(409, "the object has been modified")
            self.taints = patch["spec"]["taints"]
            changed = {**self.annotations, **patch["metadata"]["annotations"]}
            self.annotations = {key: text for key, text in changed.items() if text is not None}
            self.version += 1
        node = {
            "metadata": {
                "name": "gpu01",
                "resourceVersion": str(self.version),
                "annotations": self.annotations,
            },
            "spec": {"taints": self.taints},
        }
        return httpx2.Response(200, json=node)


def test_a_write_in_between_is_read_again_and_kept() -> None:
    node, clock = OneNode(foreign_writes=3), Clock()
    set_taints(api_server(node.answer, clock), "gpu01", [GPU])
    keys = [taint["key"] for taint in node.taints]
    assert keys == ["foreign2", "foreign3", "foreign4", "nvidia.com/gpu"]
    assert json.loads(node.annotations[ANNOTATION]) == [GPU.entry]
    assert clock.pauses == [0.2, 0.4, 0.8]


def test_a_node_that_is_right_is_not_written_to() -> None:
    node = OneNode(foreign_writes=0)
    server = api_server(node.answer, Clock())
    set_taints(server, "gpu01", [GPU])
    set_taints(server, "gpu01", [GPU])
    assert node.patches == 1


def test_taking_ours_away_leaves_no_trace_of_ours() -> None:
    node = OneNode(foreign_writes=0)
    node.taints = [{"key": "foreign", "effect": "NoSchedule"}]
    server = api_server(node.answer, Clock())
    set_taints(server, "gpu01", [GPU])
    set_taints(server, "gpu01", [])
    assert node.taints == [{"key": "foreign", "effect": "NoSchedule"}]
    assert node.annotations == {"kept": "yes"}


def test_a_node_that_changes_all_the_time_ends_the_patience() -> None:
    node, clock = OneNode(foreign_writes=1000), Clock()
    with pytest.raises(AccessError, match=r"^cannot set the taints of node gpu01: the object has"):
        set_taints(api_server(node.answer, clock), "gpu01", [GPU])
    assert 50 < clock.seconds <= 60


@pytest.mark.parametrize(
    ("response", "kind", "message"),
    [
        (
            status(404, 'nodes "gpu01" not found'),
            NotThereError,
            'cannot set the taints of node gpu01: nodes "gpu01" not found',
        ),
        (
            status(403, 'User "ci" cannot get resource "nodes"'),
            AccessError,
            (
                'cannot set the taints of node gpu01: User "ci" cannot get resource "nodes"; fix: '
                "have the verb granted by RBAC"
            ),
        ),
        (
            status(401, "Unauthorized"),
            AccessError,
            (
                f"cannot set the taints of node gpu01: {SERVER} does not accept the kubeconfig's "
                "credentials; fix: use a kubeconfig that is still valid"
            ),
        ),
        (
            httpx2.Response(422, text="no JSON at all"),
            AccessError,
            "cannot set the taints of node gpu01: status 422",
        ),
    ],
)
def test_a_plain_no_is_told_at_once(
    response: httpx2.Response, kind: type[AccessError], message: str
) -> None:
    clock = Clock()
    with pytest.raises(kind) as refused:
        set_taints(api_server(lambda _: response, clock), "gpu01", [GPU])
    assert (str(refused.value), clock.pauses) == (message, [])


@pytest.mark.parametrize(
    ("trouble", "fix", "waits"),
    [
        ("Connection refused", "check the address, the network and that it runs", 15),
        (
            "certificate verify failed: self-signed",
            "have its certificate signed by the kubeconfig's CA",
            0,
        ),
    ],
)
def test_an_api_server_out_of_reach_is_waited_for_unless_that_is_hopeless(
    trouble: str, fix: str, waits: int
) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(trouble, request=request)

    clock = Clock()
    with pytest.raises(AccessError) as refused:
        set_taints(api_server(answer, clock), "gpu01", [GPU])
    assert str(refused.value) == (
        f"cannot set the taints of node gpu01: no way to the API server {SERVER} "
        f"(ConnectError: {trouble}); fix: {fix}"
    )
    assert len(clock.pauses) == waits
    assert clock.seconds <= 60
