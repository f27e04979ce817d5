"""The calls of Pulumi's language runtime protocol that programs and policy packs need."""

from __future__ import annotations

import json
import os
import platform
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from gpu_cluster_sandbox.engine.language_host.packages import installed_packages
from gpu_cluster_sandbox.engine.language_host.toolchain import (
    Python,
    ToolchainError,
    choose_python,
)
from gpu_cluster_sandbox.engine.pins import PULUMI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_cluster_sandbox.engine.children import Children

# The executor exits with it after it has shown the user why.
_ALREADY_SHOWN: Final = 32
_CHUNK: Final = 65536

if TYPE_CHECKING:
    _Wrap = Callable[[bytes], language_pb2.RunPluginResponse]


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Runs Python programs for the engine.

    Attributes:
        engine: The engine's address, from the command line or the handshake.
    """

    def __init__(self, engine: str, executor: str, children: Children) -> None:
        self.engine = engine
        self._executor = executor
        self._children = children

    def Handshake(
        self, request: language_pb2.LanguageHandshakeRequest, context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        self.engine = request.engine_address or self.engine
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(
        self, request: empty_pb2.Empty, context: grpc.ServicerContext
    ) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=PULUMI.version)

    def About(
        self, request: language_pb2.AboutRequest, context: grpc.ServicerContext
    ) -> language_pb2.AboutResponse:
        python = self._python(request.info, context)
        version = (
            platform.python_version()
            if python.executable == Path(sys.executable)
            else subprocess.check_output(
                [python.executable, "-c", "import platform; print(platform.python_version())"],
                env=dict(python.environment),
                text=True,
            ).strip()
        )
        return language_pb2.AboutResponse(executable=str(python.executable), version=version)

    def GetRequiredPackages(
        self, request: language_pb2.GetRequiredPackagesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        """None: nothing may be downloaded, the engine takes its plugins from PATH."""
        return language_pb2.GetRequiredPackagesResponse()

    def GetRequiredPlugins(
        self, request: language_pb2.GetRequiredPluginsRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPluginsResponse:
        return language_pb2.GetRequiredPluginsResponse()

    def RuntimeOptionsPrompts(
        self, request: language_pb2.RuntimeOptionsRequest, context: grpc.ServicerContext
    ) -> language_pb2.RuntimeOptionsResponse:
        return language_pb2.RuntimeOptionsResponse()

    def GetProgramDependencies(
        self, request: language_pb2.GetProgramDependenciesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetProgramDependenciesResponse:
        python = self._python(request.info, context)
        return language_pb2.GetProgramDependenciesResponse(
            dependencies=[
                language_pb2.DependencyInfo(name=name, version=version)
                for name, version in installed_packages(
                    python, transitive=request.transitiveDependencies
                )
            ]
        )

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self._children.stop()
        return empty_pb2.Empty()

    def Run(
        self, request: language_pb2.RunRequest, context: grpc.ServicerContext
    ) -> language_pb2.RunResponse:
        python = self._python(request.info, context)
        settings = {
            "monitor": request.monitor_address,
            "engine": self.engine,
            "project": request.project,
            "root_directory": request.info.root_directory,
            "stack": request.stack,
            "pwd": request.pwd,
            "dry_run": "true" if request.dryRun else "false",
            "parallel": str(request.parallel),
            "organization": request.organization,
        }
        options = [part for k, v in settings.items() if v for part in (f"--{k}", v)]
        command = [str(python.executable), "-u", self._executor, *options]
        command += [request.info.entry_point or request.program or ".", *request.args]
        environment = {
            **python.environment,
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
        }
        folder = request.info.program_directory or request.pwd
        with self._children.run(command, cwd=folder, environment=environment) as process:
            # A cancelled call has nobody left to answer to.
            context.add_callback(process.terminate)
            code = process.wait()
        if code == 0:
            return language_pb2.RunResponse()
        if code == _ALREADY_SHOWN:
            return language_pb2.RunResponse(bail=True)
        return language_pb2.RunResponse(error=f"program exited with non-zero exit code: {code}")

    def RunPlugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        python = self._python(request.info, context, plugin=True)
        program = request.info.program_directory
        start = ["-m", "pulumi.policy"] if request.kind == "analyzer" else [program]
        command = [str(python.executable), "-u", *start, *request.args]
        if request.kind == "analyzer":
            command.append(program)
        environment = {
            **dict(entry.split("=", 1) for entry in request.env),
            **{name: python.environment[name] for name in ("PATH", "VIRTUAL_ENV")},
        }
        with self._children.run(
            command,
            cwd=request.pwd or program,
            environment=environment,
            output=subprocess.PIPE,
        ) as process:
            context.add_callback(process.terminate)
            yield from _stream(process)
            yield language_pb2.RunPluginResponse(exitcode=process.wait())

    def _python(
        self, info: language_pb2.ProgramInfo, context: grpc.ServicerContext, *, plugin: bool = False
    ) -> Python:
        try:
            return choose_python(
                Path(info.root_directory),
                Path(info.program_directory or info.root_directory),
                json_format.MessageToDict(info.options),
                os.environ,
                plugin=plugin,
            )
        except ToolchainError as error:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
            raise


def _stream(process: subprocess.Popen[bytes]) -> Iterator[language_pb2.RunPluginResponse]:
    """Standard output and error in the order in which they come."""
    chunks: queue.SimpleQueue[language_pb2.RunPluginResponse | None] = queue.SimpleQueue()

    def pump(stream: IO[bytes] | None, wrap: _Wrap) -> None:
        while stream and (chunk := os.read(stream.fileno(), _CHUNK)):
            chunks.put(wrap(chunk))
        chunks.put(None)

    pumps: list[tuple[IO[bytes] | None, _Wrap]] = [
        (process.stdout, lambda chunk: language_pb2.RunPluginResponse(stdout=chunk)),
        (process.stderr, lambda chunk: language_pb2.RunPluginResponse(stderr=chunk)),
    ]
    for stream, wrap in pumps:
        threading.Thread(target=pump, args=(stream, wrap), daemon=True).start()
    for _ in pumps:
        while (chunk := chunks.get()) is not None:
            yield chunk
