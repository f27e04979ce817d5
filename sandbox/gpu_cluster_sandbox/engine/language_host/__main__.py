"""Serve the language host: `pulumi-language-python [flags] ENGINE_ADDRESS`."""

from __future__ import annotations

from pulumi.runtime.proto import language_pb2_grpc

from gpu_cluster_sandbox.engine.children import Children
from gpu_cluster_sandbox.engine.language_host.servicer import LanguageHost
from gpu_cluster_sandbox.engine.plugin_server import command_line, serve


def main() -> None:
    """Serve until the engine ends it."""
    parser = command_line()
    parser.add_argument("--use-executor", required=True, help="the script that runs a program")
    options, _ = parser.parse_known_args()
    children = Children()
    host = LanguageHost(options.engine, options.use_executor, children)
    serve(
        lambda server: language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server),
        children.close,
    )


if __name__ == "__main__":
    main()
