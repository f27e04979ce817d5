"""The provider protocol, as far as a local Command needs it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import (
    engine_pb2,
    engine_pb2_grpc,
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
)

from gpu_cluster_sandbox.engine.command_provider.inputs import (
    REPLACES,
    Command,
    changes,
    faults,
)
from gpu_cluster_sandbox.engine.command_provider.run import CommandError, Output, run
from gpu_cluster_sandbox.engine.command_provider.values import (
    UNKNOWN,
    from_struct,
    revealed,
    to_struct,
)
from gpu_cluster_sandbox.engine.pins import COMMAND_PROVIDER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_cluster_sandbox.engine.children import Children

_TYPE: Final = "command:local:Command"
_OUTPUTS: Final = ("stdout", "stderr")


class CommandProvider(provider_pb2_grpc.ResourceProviderServicer):
    """Runs local commands for the engine."""

    def __init__(self, engine: str, children: Children) -> None:
        self._children = children
        self._log = engine_pb2_grpc.EngineStub(grpc.insecure_channel(engine)) if engine else None

    def Handshake(
        self, request: provider_pb2.ProviderHandshakeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ProviderHandshakeResponse:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    def GetPluginInfo(
        self, request: empty_pb2.Empty, context: grpc.ServicerContext
    ) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=COMMAND_PROVIDER_VERSION)

    def CheckConfig(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        kind = request.type or request.urn.split("::")[2].rpartition("$")[2]
        if kind != _TYPE:
            _refuse(kind, context)
        inputs = from_struct(request.news)
        inputs.setdefault("addPreviousOutputInEnv", True)
        failures = [
            provider_pb2.CheckFailure(property=name, reason=f"{name} {reason}")
            for name, reason in faults(inputs).items()
        ]
        return provider_pb2.CheckResponse(inputs=to_struct(inputs), failures=failures)

    def Diff(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        names = changes(from_struct(request.olds), from_struct(request.news))
        kinds = provider_pb2.PropertyDiff
        return provider_pb2.DiffResponse(
            changes=(
                provider_pb2.DiffResponse.DIFF_SOME
                if names
                else provider_pb2.DiffResponse.DIFF_NONE
            ),
            diffs=names,
            replaces=[name for name in names if name == REPLACES],
            hasDetailedDiff=True,
            detailedDiff={
                name: provider_pb2.PropertyDiff(
                    kind=kinds.UPDATE_REPLACE if name == REPLACES else kinds.UPDATE
                )
                for name in names
            },
        )

    def Invoke(
        self, request: provider_pb2.InvokeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.InvokeResponse:
        _refuse(request.tok, context)
        return provider_pb2.InvokeResponse()

    def Create(
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        inputs = from_struct(request.properties)
        name = request.name or request.urn.rpartition("::")[2]
        if request.preview:
            return provider_pb2.CreateResponse(properties=_foreseen(inputs))
        command = Command.of(inputs)
        output = self._run(command.create, command, Output(), request.urn, context)
        return provider_pb2.CreateResponse(
            id=f"{name}{secrets.token_hex(4)}", properties=_state(inputs, output)
        )

    def Read(
        self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ReadResponse:
        return provider_pb2.ReadResponse(
            id=request.id, properties=request.properties, inputs=request.inputs
        )

    def Update(
        self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.UpdateResponse:
        inputs = from_struct(request.news)
        if request.preview:
            return provider_pb2.UpdateResponse(properties=_foreseen(inputs))
        command = Command.of(inputs)
        script = command.create if command.update is None else command.update
        previous = _output(from_struct(request.olds))
        output = self._run(script, command, previous, request.urn, context)
        return provider_pb2.UpdateResponse(properties=_state(inputs, output))

    def Delete(
        self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        state = from_struct(request.properties)
        command = Command.of(state)
        self._run(command.delete, command, _output(state), request.urn, context)
        return empty_pb2.Empty()

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self._children.close()
        return empty_pb2.Empty()

    def _run(
        self,
        script: str | None,
        command: Command,
        previous: Output,
        urn: str,
        context: grpc.ServicerContext,
    ) -> Output:
        if script is None:
            return previous
        try:
            return run(
                script,
                command,
                previous,
                children=self._children,
                log=lambda line: self._tell(urn, line),
            )
        except CommandError as error:
            context.abort(grpc.StatusCode.UNKNOWN, str(error))
            raise

    def _tell(self, urn: str, line: str) -> None:
        """A line for the status column; it is not kept among the diagnostics."""
        if self._log:
            self._log.Log(  # pyright: ignore[reportUnknownMemberType] - the stubs leave it open
                engine_pb2.LogRequest(
                    severity=engine_pb2.INFO, message=line, urn=urn, ephemeral=True
                )
            )


def _refuse(token: str, context: grpc.ServicerContext) -> None:
    context.abort(
        grpc.StatusCode.UNIMPLEMENTED,
        f"this stand-in for the command provider has {_TYPE} only, not {token}; "
        "install a Pulumi release with the command plugin to use it",
    )


def _state(inputs: Mapping[str, Any], output: Output) -> struct_pb2.Struct:
    return to_struct({**inputs, "stdout": output.stdout, "stderr": output.stderr})


def _foreseen(inputs: Mapping[str, Any]) -> struct_pb2.Struct:
    return to_struct({**inputs, **dict.fromkeys(_OUTPUTS, UNKNOWN)})


def _output(state: Mapping[str, Any]) -> Output:
    plain = revealed({name: state.get(name) for name in _OUTPUTS})
    return Output(**{name: plain[name] or "" for name in _OUTPUTS})
