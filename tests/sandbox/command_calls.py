"""The calls that the engine makes of a command provider, as tests make them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc
from google.protobuf import struct_pb2
from plugin_process import ListeningEngine, Plugin, listening_engine, started
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from gpu_cluster_sandbox.engine.command_provider.values import from_struct, to_struct

NAME = "pulumi-resource-command"
URN = "urn:pulumi:dev::tests::command:local:Command::probe"
SECRET = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    "value": "hunter2",
}


@dataclass(frozen=True)
class Provider:
    """A running provider and the calls that the engine makes in order."""

    plugin: Plugin
    calls: Any  # the stubs' own types are half unknown
    engine: ListeningEngine

    def check(self, urn: str = URN, **inputs: Any) -> provider_pb2.CheckResponse:
        kind = urn.split("::")[2]
        answer: provider_pb2.CheckResponse = self.calls.Check(
            provider_pb2.CheckRequest(urn=urn, type=kind, news=to_struct(inputs))
        )
        return answer

    def checked(self, inputs: Mapping[str, Any]) -> struct_pb2.Struct:
        answer = self.check(**inputs)
        assert not answer.failures, answer.failures
        return answer.inputs

    def create(self, *, preview: bool = False, **inputs: Any) -> dict[str, Any]:
        answer = self.calls.Create(
            provider_pb2.CreateRequest(
                urn=URN, name="probe", properties=self.checked(inputs), preview=preview
            )
        )
        if not preview:
            assert answer.id.startswith("probe")
        return from_struct(answer.properties)

    def diff(self, state: dict[str, Any], **inputs: Any) -> provider_pb2.DiffResponse:
        news = self.checked(inputs)
        answer: provider_pb2.DiffResponse = self.calls.Diff(
            provider_pb2.DiffRequest(urn=URN, id="probe1", olds=to_struct(state), news=news)
        )
        return answer

    def update(
        self, state: dict[str, Any], *, preview: bool = False, **inputs: Any
    ) -> dict[str, Any]:
        answer = self.calls.Update(
            provider_pb2.UpdateRequest(
                urn=URN,
                id="probe1",
                olds=to_struct(state),
                news=self.checked(inputs),
                preview=preview,
            )
        )
        return from_struct(answer.properties)

    def delete(self, state: dict[str, Any]) -> None:
        self.calls.Delete(
            provider_pb2.DeleteRequest(urn=URN, id="probe1", properties=to_struct(state))
        )


def details(error: grpc.RpcError) -> str:
    return cast("grpc.Call", error).details() or ""


@contextmanager
def running(program: Path) -> Generator[Provider]:
    with (
        listening_engine() as (engine, address),
        started(program, address, {"INHERITED": "from the engine"}) as plugin,
    ):
        calls: Any = provider_pb2_grpc.ResourceProviderStub(plugin.channel)
        calls.Configure(provider_pb2.ConfigureRequest(acceptSecrets=True, acceptResources=True))
        yield Provider(plugin, calls, engine)
