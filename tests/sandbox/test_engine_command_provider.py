"""What a local Command does, on the stand-in and, where PATH has it, on the real provider.

Each test is a row of docs/command-stand-in.md.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from command_calls import NAME, SECRET, URN, Provider, details, running
from google.protobuf import empty_pb2
from plugin_process import alive, eventually, on_this_machine
from pulumi.runtime.proto import provider_pb2

from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.engine.command_provider.values import (
    UNKNOWN,
    from_struct,
    revealed,
    to_struct,
)

REAL = on_this_machine(NAME)


@pytest.fixture(
    params=["stand-in", *(["real"] if REAL else [])],
    scope="module",
)
def program(request: pytest.FixtureRequest, stand_ins: Engine) -> Path:
    return REAL if REAL and request.param == "real" else stand_ins.program(NAME)


@pytest.fixture(scope="module")
def shared(program: Path) -> Iterator[Provider]:
    with running(program) as provider:
        yield provider


@pytest.fixture
def provider(shared: Provider) -> Provider:
    shared.engine.lines.clear()
    return shared


@pytest.fixture
def own_provider(program: Path) -> Iterator[Provider]:
    """For tests that end it."""
    with running(program) as provider:
        yield provider


def test_create_runs_the_command_and_keeps_its_output(provider: Provider) -> None:
    state = provider.create(create="echo out; echo; echo err >&2")
    assert (state["stdout"], state["stderr"]) == ("out\n", "err")


def test_a_command_without_create_only_makes_the_resource(provider: Provider) -> None:
    state = provider.create(update="exit 1", delete="exit 1")
    assert (state["stdout"], state["stderr"]) == ("", "")


def test_it_runs_in_the_environment_of_the_engine_and_its_own(provider: Provider) -> None:
    state = provider.create(
        create='echo "$INHERITED, $ADDED"', environment={"ADDED": "and from the inputs"}
    )
    assert state["stdout"] == "from the engine, and from the inputs"


def test_it_runs_in_the_folder_that_dir_names(provider: Provider, tmp_path: Path) -> None:
    assert provider.create(create="pwd", dir=str(tmp_path))["stdout"] == str(tmp_path)


def test_a_folder_that_does_not_exist_is_an_error(provider: Provider, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(grpc.RpcError) as caught:
        provider.create(create="pwd", dir=missing)
    assert "no such file or directory" in str(details(caught.value)).lower()
    assert missing in str(details(caught.value))


def test_stdin_is_what_the_command_reads(provider: Provider) -> None:
    assert provider.create(create="tr a-z A-Z", stdin="shout")["stdout"] == "SHOUT"


def test_without_stdin_the_command_reads_nothing(provider: Provider) -> None:
    assert provider.create(create="cat; echo over")["stdout"] == "over"


def test_the_interpreter_takes_the_command_as_its_last_argument(provider: Provider) -> None:
    state = provider.create(create="a b", interpreter=["printf", "%s|"])
    assert state["stdout"] == "a b|"


def test_a_changed_input_is_an_update(provider: Provider) -> None:
    state = provider.create(create="true", environment={"A": "1"})
    answer = provider.diff(state, create="true", environment={"A": "2"})
    assert answer.changes == provider_pb2.DiffResponse.DIFF_SOME
    assert not answer.replaces


def test_unchanged_inputs_are_no_change(provider: Provider) -> None:
    inputs: dict[str, Any] = {"create": "true", "triggers": ["a", 1], "stdin": SECRET}
    state = provider.create(**inputs)
    assert provider.diff(state, **inputs).changes == provider_pb2.DiffResponse.DIFF_NONE


def test_a_changed_trigger_replaces_and_the_new_one_is_created_first(provider: Provider) -> None:
    state = provider.create(create="true", triggers=["a"])
    answer = provider.diff(state, create="true", triggers=["b"])
    details = answer.detailedDiff
    kinds = {name.split("[")[0]: detail.kind for name, detail in details.items()}
    assert kinds == {"triggers": provider_pb2.PropertyDiff.UPDATE_REPLACE}
    assert not answer.deleteBeforeReplace


def test_an_update_runs_the_update_command(provider: Provider) -> None:
    state = provider.create(create="echo made", update="echo mended")
    state = provider.update(state, create="echo made", update="echo mended", stdin="x")
    assert state["stdout"] == "mended"


def test_an_update_without_update_command_creates_again(provider: Provider) -> None:
    state = provider.create(create="echo $N", environment={"N": "1"})
    assert provider.update(state, create="echo $N", environment={"N": "2"})["stdout"] == "2"


def test_an_update_sees_what_the_command_wrote_before(provider: Provider) -> None:
    update = 'echo "$PULUMI_COMMAND_STDOUT and $PULUMI_COMMAND_STDERR"'
    state = provider.create(create="echo out; echo err >&2", update=update)
    assert provider.update(state, create="", update=update)["stdout"] == "out and err"


def test_it_sees_nothing_of_before_where_that_is_switched_off(provider: Provider) -> None:
    create = 'echo "<$PULUMI_COMMAND_STDOUT>"'
    inputs: dict[str, Any] = {"create": create, "addPreviousOutputInEnv": False}
    state = provider.create(**inputs)
    assert provider.update(state, **inputs, stdin="x")["stdout"] == "<>"


def test_delete_runs_the_delete_command_with_the_last_output(
    provider: Provider, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    delete = f'echo "undo $PULUMI_COMMAND_STDOUT" > {mark}'
    provider.delete(provider.create(create="echo step", delete=delete))
    assert mark.read_text() == "undo step\n"


def test_delete_without_delete_command_runs_nothing(provider: Provider) -> None:
    provider.delete(provider.create(create="true", update="exit 1"))


def test_a_refresh_changes_nothing(provider: Provider) -> None:
    state = provider.create(create="echo once; date +%N")
    answer = provider.calls.Read(
        provider_pb2.ReadRequest(urn=URN, id="probe1", properties=to_struct(state))
    )
    assert (answer.id, from_struct(answer.properties)) == ("probe1", state)


def test_a_preview_runs_nothing_and_leaves_the_output_open(
    provider: Provider, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    inputs: dict[str, Any] = {"create": f"touch {mark}"}
    foreseen = provider.create(preview=True, **inputs)
    updated = provider.update({**inputs, "stdout": "old", "stderr": ""}, preview=True, **inputs)
    assert not mark.exists()
    for state in (foreseen, updated):
        assert (state["stdout"], state["stderr"]) == (UNKNOWN, UNKNOWN)


def test_a_failing_command_is_an_error_with_itself_and_its_output(provider: Provider) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        provider.create(create='echo "half way"; echo why >&2; exit 3')
    told = details(caught.value)
    first, *output = told.splitlines()
    assert first == 'exit status 3: running "echo \\"half way\\"; echo why >&2; exit 3":'
    # Two pipes: which of them is read first is nobody's promise.
    assert sorted(output) == ["half way", "why"]


def test_secret_inputs_stay_secret_in_the_state(provider: Provider) -> None:
    state = provider.create(
        create="cat; echo $S", stdin=SECRET, environment={"S": SECRET, "P": "plain"}
    )
    assert state["stdin"] == SECRET
    plain = {"S": "hunter2", "P": "plain"}
    assert state["environment"] != plain, "the secret lost its wrapping"
    assert revealed(state["environment"]) == plain


@pytest.mark.parametrize(
    ("logging", "logged"),
    [
        (None, {"out", "err"}),
        ("stdoutAndStderr", {"out", "err"}),
        ("stdout", {"out"}),
        ("stderr", {"err"}),
        ("none", set[str]()),
    ],
)
def test_logging_chooses_what_reaches_the_log_but_not_the_state(
    provider: Provider, logging: str | None, logged: set[str]
) -> None:
    chosen: dict[str, Any] = {"logging": logging} if logging else {}
    state = provider.create(create="echo out; echo err >&2", **chosen)
    assert (state["stdout"], state["stderr"]) == ("out", "err")
    assert eventually(lambda: set(provider.engine.messages()) == logged)


def test_output_reaches_the_log_as_it_comes(provider: Provider) -> None:
    provider.create(create="echo early; sleep 0.6")
    ended = time.monotonic()
    (moment, line) = next(pair for pair in provider.engine.lines if pair[1].message == "early")
    assert ended - moment > 0.4, "it was only told when the command had ended"
    assert (line.urn, line.ephemeral) == (URN, True)


def test_cancel_ends_the_running_command_and_what_it_started(
    own_provider: Provider, tmp_path: Path
) -> None:
    pid = _run_long(own_provider, tmp_path, lambda: own_provider.calls.Cancel(empty_pb2.Empty()))
    assert eventually(lambda: not alive(pid))


def test_sigint_ends_the_provider_and_the_running_command(
    own_provider: Provider, tmp_path: Path
) -> None:
    group = own_provider.plugin.process.pid
    pid = _run_long(own_provider, tmp_path, lambda: os.killpg(group, signal.SIGINT))
    assert own_provider.plugin.ended_within(5) is not None
    assert eventually(lambda: not alive(pid))


def _run_long(provider: Provider, folder: Path, act: Callable[[], object]) -> int:
    """Start a command that does not end, act, and see the call fail; its pid."""
    mark = folder / "pid"
    failed: list[Exception] = []

    def create() -> None:
        try:
            provider.create(create=f"echo $$ > {mark}; sleep 60; true")
        except grpc.RpcError as error:
            failed.append(error)

    call = threading.Thread(target=create)
    call.start()
    assert eventually(lambda: mark.exists() and mark.read_text().strip())
    act()
    call.join(10)
    assert failed, "the call ended as if the command had"
    return int(mark.read_text())
