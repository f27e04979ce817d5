"""Serve the command provider: `pulumi-resource-command [flags] ENGINE_ADDRESS`."""

from __future__ import annotations

from pulumi.runtime.proto import provider_pb2_grpc

from gpu_cluster_sandbox.engine.children import Children
from gpu_cluster_sandbox.engine.command_provider.servicer import CommandProvider
from gpu_cluster_sandbox.engine.plugin_server import command_line, serve


def main() -> None:
    """Serve until the engine ends it."""
    options, _ = command_line().parse_known_args()
    children = Children()
    provider = CommandProvider(options.engine, children)
    serve(
        lambda server: provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server),
        children.close,
    )


if __name__ == "__main__":
    main()
