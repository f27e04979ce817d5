"""Pulumi plugins as the engine starts them, and an engine that only listens."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc


@dataclass
class ListeningEngine(engine_pb2_grpc.EngineServicer):
    """Keeps what plugins log, with the moment it came."""

    lines: list[tuple[float, engine_pb2.LogRequest]] = field(
        default_factory=list[tuple[float, engine_pb2.LogRequest]]
    )

    def Log(  # noqa: N802 - the protocol's name
        self, request: engine_pb2.LogRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        del context
        self.lines.append((time.monotonic(), request))
        return empty_pb2.Empty()

    def messages(self) -> list[str]:
        return [request.message for _, request in self.lines]


@contextmanager
def listening_engine() -> Generator[tuple[ListeningEngine, str]]:
    engine = ListeningEngine()
    server = grpc.server(ThreadPoolExecutor(4))
    engine_pb2_grpc.add_EngineServicer_to_server(engine, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield engine, f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None)


@dataclass(frozen=True)
class Plugin:
    process: subprocess.Popen[str]
    channel: grpc.Channel

    def ended_within(self, seconds: float) -> int | None:
        """Its exit code, or None where it still runs then."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


@contextmanager
def started(program: Path, address: str, environment: dict[str, str]) -> Generator[Plugin]:
    """A plugin in a process group of its own, as the engine does it."""
    with subprocess.Popen(
        [program, address],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        port = process.stdout.readline().strip()
        assert port.isdigit(), f"the first line is no port: {port!r}"
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            try:
                yield Plugin(process, channel)
            finally:
                process.kill()


def on_this_machine(name: str) -> Path | None:
    """The real plugin, where PATH has one."""
    found = shutil.which(name)
    return Path(found) if found else None


def eventually(happens: Callable[[], object], seconds: float = 15) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happens():
            return True
        time.sleep(0.05)
    return bool(happens())


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
