"""Where the stand-in for the command provider differs from the real one.

Each test is a row of docs/command-stand-in.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from command_calls import NAME, URN, Provider, details, running
from plugin_process import alive, eventually
from pulumi.runtime.proto import provider_pb2

from gpu_cluster_sandbox.engine import Engine


@pytest.fixture(scope="module")
def stand_in(stand_ins: Engine) -> Iterator[Provider]:
    with running(stand_ins.program(NAME)) as provider:
        yield provider


def test_the_stand_in_ends_when_the_engine_is_gone(stand_ins: Engine, tmp_path: Path) -> None:
    # A plugin's parent here is this test, which cannot be killed; a shell between them can.
    program = stand_ins.program(NAME)
    wrapper = tmp_path / "engine"
    pids = tmp_path / "pids"
    wrapper.write_text(f'#!/bin/sh\n{program} "$1" &\necho $! > {pids}\nwait\n')
    wrapper.chmod(0o755)
    with running(wrapper) as provider:
        command = _start_only(provider, tmp_path)
        provider.plugin.process.kill()
        plugin = int(pids.read_text())
        assert eventually(lambda: not alive(plugin))
        assert eventually(lambda: not alive(command))


def _start_only(provider: Provider, folder: Path) -> int:
    mark = folder / "pid"
    inputs = provider.checked({"create": f"echo $$ > {mark}; sleep 60; true"})
    # A call that nobody holds on to is cancelled.
    call = provider.calls.Create.future(provider_pb2.CreateRequest(urn=URN, properties=inputs))
    assert eventually(lambda: mark.exists() and mark.read_text().strip())
    assert call.running()
    return int(mark.read_text())


@pytest.mark.parametrize("name", ["assetPaths", "archivePaths"])
def test_the_stand_in_refuses_by_name_what_it_does_not_do(stand_in: Provider, name: str) -> None:
    inputs: dict[str, Any] = {"create": "true", name: ["*"]}
    (failure,) = stand_in.check(**inputs).failures
    assert failure.property == name
    assert name in failure.reason
    assert "not supported" in failure.reason


def test_the_stand_in_refuses_remote_commands_by_name(stand_in: Provider) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stand_in.check(urn=URN.replace("local", "remote"), create="true")
    assert cast("grpc.Call", caught.value).code() == grpc.StatusCode.UNIMPLEMENTED
    assert "command:remote:Command" in details(caught.value)


@pytest.mark.parametrize("token", ["command:local:run", "command:remote:runOutput"])
def test_the_stand_in_refuses_functions_by_name(stand_in: Provider, token: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stand_in.calls.Invoke(provider_pb2.InvokeRequest(tok=token))
    assert cast("grpc.Call", caught.value).code() == grpc.StatusCode.UNIMPLEMENTED
    assert token in details(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("create", 1),
        ("stdin", ["x"]),
        ("environment", {"A": 1}),
        ("interpreter", "sh"),
        ("logging", "loudly"),
        ("addPreviousOutputInEnv", "yes"),
        ("triggers", "a"),
        ("crate", "true"),
    ],
)
def test_the_stand_in_names_the_input_that_is_wrong(
    stand_in: Provider, name: str, value: Any
) -> None:
    (failure,) = stand_in.check(**{name: value}).failures
    assert failure.property == name
