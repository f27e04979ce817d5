"""Holds new GPU nodes back from work until the gate has passed them.

Which node is new? One that comes without our label, before we label it, and runs no GPU work. A
node that had its pool's label before anything was known of it worked before there was a gate: an
upgrade must not take it away from its users.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.props import POOL_LABEL
from pulumi_gpu_cluster.operations.api_server import NAMESPACE, POD, ApiServer, NotThereError
from pulumi_gpu_cluster.operations.node_work.gate_record import (
    Record,
    labels_of,
    record_of,
    write_record,
)
from pulumi_gpu_cluster.operations.node_work.layout import keep_layout, set_layout
from pulumi_gpu_cluster.operations.node_work.sharing import SHARING
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

GATE_LABEL: Final = "gpu-cluster.io/gate"
"""Label of the gate's own pods, with what they do."""

_NEW: Final = Record("held", "is new, and no gate has passed it yet")
_LABELLED: Final = Record("in-service", "was in its pool before there was a gate")
_WORKING: Final = Record("in-service", "ran GPU work when it was first met")

_GPU: Final = "nvidia.com/"
_ENDED: Final = ("Succeeded", "Failed")
# source: NVIDIA/gpu-operator v26.7.0: pods with which the operator tries a node out
_VALIDATORS: Final = ("nvidia-cuda-validator", "nvidia-device-plugin-validator")


def hold(access: ApiServer, name: str) -> Record:
    """Holds a node back, if it is new and nothing is known of it yet.

    Returns:
        What is known of it now.

    Raises:
        NotThereError: There is no such node.
        AccessError: The API server refuses or cannot be reached.
    """

    def decide(node: Mapping[str, Any]) -> Record:
        known = record_of(node)
        if known is not None:
            return known
        if POOL_LABEL in labels_of(node):
            return _LABELLED
        return first_met(access, name)

    record = write_record(access, name, decide)
    if record == _LABELLED:
        keep_layout(access, name)
        SHARING.keep(access, name)
    return record or _NEW


def first_met(access: ApiServer, name: str) -> Record:
    """The record of a node that nothing was known of."""
    return _WORKING if gpu_pods(access, name) else _NEW


def let_go(access: ApiServer, name: str) -> None:
    """Gives a node back as it came: without taint, record and layout of ours."""
    write_record(access, name, lambda _: None)
    set_layout(access, name, None)
    SHARING.say(access, name, None)


def gpu_pods(access: ApiServer, name: str) -> list[str]:
    """The pods on a node that hold GPUs, as namespace/name, without the platform's own tests.

    A pod of a tenant's is work, whatever it says of itself: with the labels of a test it would
    have its node diagnosed while others' work runs there.
    """
    pods = access.persist(
        lambda: list(access.list(POD, fields={"spec.nodeName": name})),
        f"list the pods of node {name}",
    )
    return [
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        for pod in pods
        if pod.get("status", {}).get("phase") not in _ENDED
        and _holds_gpus(pod)
        and not (_says_it_is_a_test(pod) and not _is_a_tenants(access, pod))
    ]


def _holds_gpus(pod: Mapping[str, Any]) -> bool:
    containers = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    return any(
        resource.startswith(_GPU) for container in containers for resource in _limits(container)
    )


def _limits(container: Mapping[str, Any]) -> Mapping[str, str]:
    resources: Mapping[str, Mapping[str, str]] = container.get("resources") or {}
    return resources.get("limits") or {}


def _says_it_is_a_test(pod: Mapping[str, Any]) -> bool:
    labels = labels_of(pod)
    return GATE_LABEL in labels or labels.get("app") in _VALIDATORS


def _is_a_tenants(access: ApiServer, pod: Mapping[str, Any]) -> bool:
    name: str = pod["metadata"]["namespace"]
    try:
        home = access.persist(lambda: access.get(NAMESPACE, name), f"read namespace {name}")
    except NotThereError:
        return False
    return TENANT_LABEL in labels_of(home)
