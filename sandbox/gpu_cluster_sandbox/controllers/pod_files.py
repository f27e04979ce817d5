"""What a kubelet does for a controller's pod beside starting it: its files, and its readiness."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final, cast

import yaml
from lightkube import Client
from lightkube.resources.core_v1 import ConfigMap, Pod, Secret

from gpu_cluster_sandbox.cluster.files import write_private
from gpu_cluster_sandbox.cluster.ports import LOOPBACK
from gpu_cluster_sandbox.controllers.catalogue import Webhooks
from gpu_cluster_sandbox.controllers.program import Home

CONTROLLER_LABEL: Final = "sandbox.gpu-cluster.io/controller"
"""On pods in whose place a controller runs: they are ready when it is."""


def settings_of(client: Client, webhooks: Webhooks, namespace: str) -> dict[str, Any]:
    """The controller's settings as its ConfigMap has them, and what its pod would tell it."""
    found = client.get(ConfigMap, webhooks.settings, namespace=namespace)
    data = cast("dict[str, str]", found.data or {})
    settings: dict[str, Any] = yaml.safe_load(data[webhooks.file])
    election = {**settings.get("leaderElection", {}), "resourceNamespace": namespace}
    return {**settings, "namespace": namespace, "leaderElection": election}


def write_settings(settings: Mapping[str, Any], home: Home, probe: str, port: int) -> None:
    """Writes the controller's settings, with other places where it listens.

    Args:
        settings: What they are.
        home: Where the file goes.
        probe: Host and port at which it says that it is well.
        port: The port at which it answers the API server.
    """
    here = {
        **settings,
        "health": {"healthProbeBindAddress": probe},
        "metrics": {**settings.get("metrics", {}), "bindAddress": "0"},
        "webhook": {"host": LOOPBACK, "port": port, "certDir": str(home.certificates)},
    }
    write_private(home.settings, yaml.safe_dump(here).encode())


def mirror_certificate(client: Client, webhooks: Webhooks, namespace: str, home: Home) -> None:
    """Keeps the files of the serving certificate as their Secret has them."""
    secret = client.get(Secret, webhooks.certificate, namespace=namespace)
    for name, encoded in cast("dict[str, str]", secret.data or {}).items():
        path = home.certificates / name
        content = base64.b64decode(encoded)
        if not path.exists() or path.read_bytes() != content:
            write_private(path, content)


def report_ready(client: Client, namespace: str, account: str) -> None:
    """Says of the pods in whose place the controller runs that they are ready."""
    ready = {
        "phase": "Running",
        "conditions": [
            {"type": kind, "status": "True"}
            for kind in ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
        ],
    }
    for pod in client.list(Pod, namespace=namespace, labels={CONTROLLER_LABEL: account}):
        waits = pod.status and pod.status.phase == "Pending" and pod.spec and pod.spec.nodeName
        if waits and pod.metadata:
            name = str(pod.metadata.name)
            client.patch(Pod.Status, name, {"status": ready}, namespace=namespace)
