"""The cluster's loopback ports: chosen once, remembered, so that its address never changes."""

from __future__ import annotations

import json
import random
import socket
from typing import TYPE_CHECKING, Final

from gpu_cluster_sandbox.cluster.errors import ClusterError
from gpu_cluster_sandbox.cluster.files import write_private
from gpu_cluster_sandbox.controllers.catalogue import CONTROLLERS

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

LOOPBACK: Final = "127.0.0.1"
API: Final = "kube-apiserver"
NAMES: Final = (
    API,
    "etcd",
    "etcd-peer",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "services",
    *(port for controller in CONTROLLERS.values() for port in controller.ports),
)

# Below the range that Linux gives to outgoing connections (32768 on), whose use of a
# remembered port would keep the cluster from starting again.
_CHOICE: Final = range(20000, 32000)


def load_ports(path: Path) -> dict[str, int]:
    """The remembered ports; the missing ones are chosen among the free and remembered."""
    ports: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    missing = [name for name in NAMES if name not in ports]
    if missing:
        for name in missing:
            ports[name] = _choose(ports.values())
        _save(path, ports)
    return ports


def settle_taken(path: Path, ports: dict[str, int], starting: Collection[str]) -> dict[str, int]:
    """Ports for the parts about to start, where another program may have taken one meanwhile.

    Raises:
        ClusterError: The API server's is taken; it cannot move, clients remember it.
    """
    taken = [name for name in starting if not is_free(ports[name])]
    if API in taken:
        raise ClusterError(
            f"port {ports[API]} on {LOOPBACK} is the API server's, and another program has it",
            f"end that program (ss -ltnp 'sport = :{ports[API]}' names it) and start again",
        )
    if taken:
        ports = dict(ports)
        for name in taken:
            ports[name] = _choose(ports.values())
        _save(path, ports)
    return ports


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        # As servers do: connections of an earlier one that fade out do not keep a port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _choose(used: Collection[int]) -> int:
    for port in random.sample(_CHOICE, len(_CHOICE)):
        if port not in used and is_free(port):
            return port
    raise ClusterError(
        f"no port on {LOOPBACK} between {_CHOICE.start} and {_CHOICE.stop} is free",
        "end some of the programs that listen there",
    )


def _save(path: Path, ports: dict[str, int]) -> None:
    write_private(path, (json.dumps(ports, indent=2) + "\n").encode())
