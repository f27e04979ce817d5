"""The process of one controller among the cluster's parts: `status`, `logs` and `stop` mean it."""

from __future__ import annotations

import argparse
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import click
from lightkube import Client, KubeConfig

from gpu_cluster_sandbox.cluster.ports import LOOPBACK
from gpu_cluster_sandbox.controllers.catalogue import CONTROLLERS
from gpu_cluster_sandbox.controllers.program import Home
from gpu_cluster_sandbox.controllers.runner import Runner

_EVERY_SECONDS: Final = 0.5


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="gpu_cluster_sandbox.controllers")
    parser.add_argument("name", choices=CONTROLLERS)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--probe-port", type=int, required=True)
    parser.add_argument("--webhook-port", type=int, default=0)
    # Named so that a program built anew shows as another command.
    parser.add_argument("--program", type=Path, required=True)
    options = parser.parse_args()
    runner = Runner(
        CONTROLLERS[options.name],
        Client(KubeConfig.from_file(options.kubeconfig)),
        options.kubeconfig,
        Home(options.home),
        f"{LOOPBACK}:{options.probe_port}",
        lambda line: click.echo(f"sandbox: {options.name}: {line}"),
        options.webhook_port,
    )
    end = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: end.set())
    server = _serve(options.port, runner)
    while not end.is_set():
        runner.look()
        end.wait(_EVERY_SECONDS)
    runner.stop()
    server.shutdown()


def _serve(port: int, runner: Runner) -> ThreadingHTTPServer:
    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            trouble = runner.trouble()
            body = (trouble or "well").encode()
            self.send_response(503 if trouble else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
            """Questions after health are not worth a line."""

    server = ThreadingHTTPServer((LOOPBACK, port), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    main()
