"""The way from the API server to Services whose pods are processes on this machine.

The addresses of Services are nobody's here. The API server therefore asks this proxy (as it would
ask one between itself and the pods' network) for a connection to such an address, and gets one to
the controller that runs in the place of the Service's pods.
"""

from __future__ import annotations

import argparse
import contextlib
import select
import socket
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from lightkube import ApiError, Client, KubeConfig
from lightkube.resources.core_v1 import Service

from gpu_cluster_sandbox.cluster.ports import LOOPBACK

_CHUNK: Final = 65536
_IDLE_SECONDS: Final = 600


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="gpu_cluster_sandbox.controllers.services")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tls-cert-file", required=True)
    parser.add_argument("--tls-private-key-file", required=True)
    parser.add_argument("--client-ca-file", required=True)
    parser.add_argument("--route", action="append", default=[], metavar="SERVICE=PORT")
    options = parser.parse_args()
    routes = {name: int(port) for name, _, port in (one.partition("=") for one in options.route)}
    client = Client(KubeConfig.from_file(options.kubeconfig))
    server = proxy(options.port, routes, client)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=options.client_ca_file)
    tls.verify_mode = ssl.CERT_REQUIRED  # nobody but the API server comes through here
    tls.load_cert_chain(options.tls_cert_file, options.tls_private_key_file)
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


def proxy(port: int, routes: dict[str, int], client: Client) -> ThreadingHTTPServer:
    """The proxy's server.

    Args:
        port: Where it listens.
        routes: The local port behind each Service that it leads to.
        client: What it finds Services by their address with.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_CONNECT(self) -> None:
            target = _behind(client, routes, self.path.rpartition(":")[0])
            if target is None:
                self.send_error(502, f"no controller is behind {self.path}")
                return
            try:
                there = socket.create_connection((LOOPBACK, target))
            except OSError as error:
                self.send_error(502, f"{self.path}: {error}")
                return
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            with there:
                _carry(self.connection, there)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
            """Connections are not worth a line."""

    return ThreadingHTTPServer((LOOPBACK, port), Handler)


def _behind(client: Client, routes: dict[str, int], address: str) -> int | None:
    with contextlib.suppress(ApiError):
        for service in client.list(Service, namespace="*"):
            if service.spec and service.spec.clusterIP == address and service.metadata:
                return routes.get(str(service.metadata.name))
    return None


def _carry(here: socket.socket, there: socket.socket) -> None:
    """Passes what each side says to the other until one has said all."""
    other = {here: there, there: here}
    with contextlib.suppress(OSError):
        while ready := _with_words(here, there):
            for side in ready:
                said = side.recv(_CHUNK)
                if not said:
                    return
                other[side].sendall(said)


def _with_words(here: socket.socket, there: socket.socket) -> list[socket.socket]:
    """The sides that have something to say; none after a long silence."""
    if isinstance(here, ssl.SSLSocket) and here.pending():
        return [here]
    return select.select([here, there], [], [], _IDLE_SECONDS)[0]


if __name__ == "__main__":
    main()
