"""Lets something fail on a simulated node, and be well again."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Literal, cast

from lightkube import ApiError, Client
from lightkube.resources.core_v1 import Node, Pod

from gpu_cluster_sandbox.cluster.kwok import STAGE
from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.stages.devices import FAIL
from gpu_cluster_sandbox.stages.driver import failing_driver

Failure = Literal["mig", "driver", "gpu-count"]
"""What can fail: applying a MIG layout, the driver's pod, or one of the GPUs."""


def fail(client: Client, node: str, what: Failure) -> None:
    """Lets it fail from now on; a driver that runs goes on until its pod is replaced.

    Raises:
        SandboxError: There is no such node.
    """
    mend(client, node)
    if what == "driver":
        stage = STAGE.from_dict(failing_driver(node))
        client.apply(stage, force=True, field_manager="gpu-cluster-sandbox")
    _annotate(client, node, what)


def mend(client: Client, node: str) -> None:
    """Lets everything on the node be well again.

    Raises:
        SandboxError: There is no such node.
    """
    try:
        client.delete(STAGE, failing_driver(node)["metadata"]["name"])
    except ApiError as error:
        if error.status.code != HTTPStatus.NOT_FOUND:
            raise
    else:
        # Whoever mends the machine has the driver begin anew.
        for pod in _driver_pods(client, node):
            client.delete(Pod, pod.metadata.name, namespace=pod.metadata.namespace)
    _annotate(client, node, None)


def _driver_pods(client: Client, node: str) -> list[Any]:
    """Driver pods on the node that are not ready."""
    found = cast("Any", client).list(
        Pod,
        namespace="*",
        labels={"app.kubernetes.io/component": "nvidia-driver"},
        fields={"spec.nodeName": node},
    )
    return [
        pod
        for pod in found
        if not any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)
    ]


def _annotate(client: Client, node: str, what: Failure | None) -> None:
    try:
        client.patch(Node, node, {"metadata": {"annotations": {FAIL: what}}})
    except ApiError as error:
        if error.status.code != HTTPStatus.NOT_FOUND:
            raise
        raise SandboxError(
            f"there is no node {node}", "gpu-cluster capacity FILE lists the pools' nodes"
        ) from None
