"""Serve the language host: `pulumi-language-python [flags] ENGINE_ADDRESS`."""

from __future__ import annotations

import argparse
import os

# gRPC's own care for forks prints warnings; no child here uses gRPC between fork and exec.
ENVIRONMENT = dict(os.environ)
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"

from pulumi.runtime.proto import language_pb2_grpc  # noqa: E402

from gpu_cluster_sandbox.engine.children import Children  # noqa: E402
from gpu_cluster_sandbox.engine.language_host.servicer import LanguageHost  # noqa: E402
from gpu_cluster_sandbox.engine.plugin_server import serve  # noqa: E402


def main() -> None:
    """Read the command line as the engine writes it and serve until it ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--use-executor", required=True, help="the script that runs a program")
    parser.add_argument("--tracing", help="accepted and not used")
    parser.add_argument("--logtostderr", action="store_true", help="accepted and not used")
    parser.add_argument("-v", help="accepted and not used")
    parser.add_argument("engine", nargs="?", default="", help="the engine's address")
    options, _ = parser.parse_known_args()
    children = Children()
    host = LanguageHost(options.engine, options.use_executor, children, ENVIRONMENT)
    serve(
        lambda server: language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server),
        children.close,
    )


main()
