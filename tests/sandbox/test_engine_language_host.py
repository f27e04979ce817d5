"""What a Python language host does, on the stand-in and, where PATH has it, on the real one."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from plugin_process import (
    Plugin,
    alive,
    eventually,
    listening_engine,
    on_this_machine,
    started,
)
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from gpu_cluster_sandbox.engine import Engine

NAME = "pulumi-language-python"
REAL = on_this_machine(NAME)
VENV = Path(sys.prefix)


@dataclass(frozen=True)
class Host:
    """A running language host."""

    plugin: Plugin
    calls: Any  # the stubs' own types are half unknown


@pytest.fixture(params=["stand-in", *(["real"] if REAL else [])], scope="module")
def program(request: pytest.FixtureRequest, stand_ins: Engine) -> Path:
    return REAL if REAL and request.param == "real" else stand_ins.program(NAME)


@contextmanager
def running(program: Path) -> Generator[Host]:
    path = os.pathsep.join([str(VENV / "bin"), os.environ["PATH"]])
    with (
        listening_engine() as (_, address),
        started(program, address, {"PATH": path}) as plugin,
    ):
        yield Host(plugin, language_pb2_grpc.LanguageRuntimeStub(plugin.channel))


@pytest.fixture(scope="module")
def host(program: Path) -> Iterator[Host]:
    with running(program) as host:
        yield host


@pytest.fixture
def own_host(program: Path) -> Iterator[Host]:
    """For tests that end it."""
    with running(program) as host:
        yield host


def info(folder: Path, **options: str) -> language_pb2.ProgramInfo:
    struct = struct_pb2.Struct()
    struct.update({"toolchain": "uv", "virtualenv": str(VENV), **options})
    return language_pb2.ProgramInfo(
        root_directory=str(folder),
        program_directory=str(folder),
        entry_point=".",
        options=struct,
    )


def write_plugin(folder: Path, text: str) -> None:
    """One that says something instead of serving: what counts is who runs it, and how."""
    (folder / "__main__.py").write_text(text)


def run_plugin(host: Host, folder: Path, **options: str) -> tuple[str, str, int]:
    written = {"stdout": b"", "stderr": b""}
    code = 0
    for answer in host.calls.RunPlugin(
        language_pb2.RunPluginRequest(
            pwd=str(folder),
            args=["127.0.0.1:1"],
            env=[f"{name}={value}" for name, value in os.environ.items()],
            info=info(folder, **options),
            kind="resource",
        )
    ):
        field = answer.WhichOneof("output")
        if field == "exitcode":
            code = answer.exitcode
        else:
            written[field] += getattr(answer, field)
    return written["stdout"].decode(), written["stderr"].decode(), code


def test_it_names_its_version(host: Host) -> None:
    assert host.calls.GetPluginInfo(empty_pb2.Empty()).version.startswith(("3.", "v3."))


def test_about_names_the_programs_python(host: Host, tmp_path: Path) -> None:
    answer = host.calls.About(language_pb2.AboutRequest(info=info(tmp_path)))
    assert Path(answer.executable).resolve() == Path(sys.executable).resolve()
    assert answer.version == ".".join(map(str, sys.version_info[:3]))


def test_it_lists_what_the_program_depends_on(host: Host, tmp_path: Path) -> None:
    answer = host.calls.GetProgramDependencies(
        language_pb2.GetProgramDependenciesRequest(info=info(tmp_path), transitiveDependencies=True)
    )
    assert {"pulumi", "grpcio"} <= {found.name for found in answer.dependencies}


def test_a_plugins_output_and_exit_code_come_through(host: Host, tmp_path: Path) -> None:
    write_plugin(
        tmp_path,
        "import sys; print('out', *sys.argv[1:]); print('err', file=sys.stderr); sys.exit(3)",
    )
    assert run_plugin(host, tmp_path) == ("out 127.0.0.1:1\n", "err\n", 3)


def test_a_plugin_runs_in_the_virtual_environment_of_its_options(
    host: Host, tmp_path: Path
) -> None:
    write_plugin(tmp_path, "import os, sys; print(sys.prefix, os.environ['VIRTUAL_ENV'])")
    virtualenv = os.path.relpath(VENV, tmp_path)
    out, _, code = run_plugin(host, tmp_path, virtualenv=virtualenv)
    prefix, activated = out.split()
    assert (Path(prefix), Path(activated).resolve(), code) == (VENV, VENV.resolve(), 0)


@pytest.mark.parametrize("toolchain", ["uv", "pip"])
def test_a_program_whose_virtual_environment_is_missing_is_refused(
    host: Host, tmp_path: Path, toolchain: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        host.calls.Run(
            language_pb2.RunRequest(
                pwd=str(tmp_path), info=info(tmp_path, toolchain=toolchain, virtualenv="missing")
            )
        )
    assert str(tmp_path / "missing") in (cast("grpc.Call", caught.value).details() or "")


def test_an_option_of_the_wrong_type_is_refused(host: Host, tmp_path: Path) -> None:
    wrong = info(tmp_path)
    wrong.options.update({"virtualenv": 1})
    with pytest.raises(grpc.RpcError) as caught:
        host.calls.Run(language_pb2.RunRequest(pwd=str(tmp_path), info=wrong))
    details = cast("grpc.Call", caught.value).details() or ""
    assert "virtualenv" in details
    assert "must be a string" in details


def test_a_program_that_fails_is_an_error_that_says_so(host: Host, tmp_path: Path) -> None:
    (tmp_path / "__main__.py").touch()
    answer = host.calls.Run(
        # Nobody listens there, so the program cannot come to anything.
        language_pb2.RunRequest(
            monitor_address="127.0.0.1:1", pwd=str(tmp_path), info=info(tmp_path), parallel=1
        )
    )
    assert answer.error or answer.bail


def test_sigint_ends_the_host_quietly_and_its_plugins_too(own_host: Host, tmp_path: Path) -> None:
    pid = _long_plugin(own_host, tmp_path)
    os.killpg(own_host.plugin.process.pid, signal.SIGINT)
    assert own_host.plugin.ended_within(5) is not None
    assert eventually(lambda: not alive(pid))
    assert own_host.plugin.process.stdout
    assert "Traceback" not in own_host.plugin.process.stdout.read()


def test_the_stand_in_ends_when_the_engine_is_gone(stand_ins: Engine, tmp_path: Path) -> None:
    # A plugin's parent here is this test, which cannot be killed; a shell between them can.
    wrapper = tmp_path / "engine"
    pids = tmp_path / "pids"
    wrapper.write_text(f'#!/bin/sh\n{stand_ins.program(NAME)} "$1" &\necho $! > {pids}\nwait\n')
    wrapper.chmod(0o755)
    with running(wrapper) as host:
        child = _long_plugin(host, tmp_path)
        host.plugin.process.kill()
        plugin = int(pids.read_text())
        assert eventually(lambda: not alive(plugin))
        assert eventually(lambda: not alive(child))


def _long_plugin(host: Host, folder: Path) -> int:
    mark = folder / "pid"
    write_plugin(
        folder,
        "import os, signal, time\n"
        # As a program that is slow to leave would.
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"open({str(mark)!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)\n",
    )

    def run() -> None:
        # The host ends under it.
        with suppress(grpc.RpcError):
            run_plugin(host, folder)

    threading.Thread(target=run, daemon=True).start()
    assert eventually(lambda: mark.exists() and mark.read_text())
    return int(mark.read_text())
