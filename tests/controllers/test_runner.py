"""A controller's process follows its Deployment."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from gpu_cluster_sandbox.controllers import CONTROLLERS, deployment, program, runner
from gpu_cluster_sandbox.controllers.program import Home

CLIENT = cast("Any", None)


@dataclass
class World:
    """What the cluster asks for, and what was started and said."""

    pod: deployment.Pod | None = None
    command: tuple[str, ...] = ("sleep", "60")
    started: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    environments: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    said: list[str] = field(default_factory=list[str])

    def start(self, *arguments: Any) -> subprocess.Popen[bytes]:
        self.environments.append(arguments[2])
        self.started.append(subprocess.Popen(self.command))
        return self.started[-1]

    def find(self, _client: object, _name: str) -> deployment.Pod | None:
        return self.pod

    def token(self, _client: object, _namespace: str, _account: str) -> str:
        return "token"

    @property
    def alive(self) -> list[bool]:
        return [process.poll() is None for process in self.started]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World()
    monkeypatch.setattr(deployment, "find_pod", made.find)
    monkeypatch.setattr(deployment, "account_token", made.token)
    monkeypatch.setattr(program, "start", made.start)
    monkeypatch.setattr(runner, "_BACKOFF_SECONDS", 0.0)
    yield made
    for process in made.started:
        process.kill()
        process.wait()


@pytest.fixture
def one(world: World, tmp_path: Path) -> Iterator[runner.Runner]:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text('{"users": [{"name": "runner", "user": {}}]}')
    made = runner.Runner(
        CONTROLLERS["gpu-operator"],
        CLIENT,
        kubeconfig,
        Home(tmp_path / "home"),
        "127.0.0.1:1",
        world.said.append,
    )
    yield made
    made.stop()


def pod(uid: str = "one") -> deployment.Pod:
    return deployment.Pod(uid, "gpus", (("OPERATOR_NAMESPACE", "gpus"),))


def test_nothing_runs_and_all_is_well_while_no_deployment_is_there(
    world: World, one: runner.Runner
) -> None:
    one.look()
    assert world.started == []
    assert one.trouble() == ""


def test_the_controller_runs_as_its_account_with_what_its_pod_would_be_told(
    world: World, one: runner.Runner, tmp_path: Path
) -> None:
    world.pod = pod()
    one.look()
    one.look()
    assert world.alive == [True], "once"
    assert world.environments == [{"OPERATOR_NAMESPACE": "gpus"}]
    kubeconfig = tmp_path / "home" / "run" / "kubeconfig"
    assert '"token": "token"' in kubeconfig.read_text()
    assert kubeconfig.stat().st_mode & 0o077 == 0
    assert one.trouble() != "", "nothing answers at its address"


def test_a_deployment_that_goes_takes_the_controller_with_it(
    world: World, one: runner.Runner
) -> None:
    world.pod = pod()
    one.look()
    world.pod = None
    one.look()
    assert world.alive == [False]
    assert one.trouble() == ""


def test_a_deployment_made_anew_has_a_controller_of_its_own(
    world: World, one: runner.Runner
) -> None:
    world.pod = pod("one")
    one.look()
    world.pod = pod("another")
    one.look()
    assert world.alive == [False, True]


def test_a_controller_that_ends_is_told_and_started_again(world: World, one: runner.Runner) -> None:
    world.pod, world.command = pod(), ("false",)
    one.look()
    world.started[0].wait()
    time.sleep(0.01)
    one.look()
    assert len(world.started) == 2
    assert "ended with code 1" in world.said


def test_trouble_names_the_code_until_it_is_started_again(
    world: World, one: runner.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_BACKOFF_SECONDS", 60.0)
    world.pod, world.command = pod(), ("false",)
    one.look()
    world.started[0].wait()
    one.look()
    assert one.trouble() == "ended with code 1"
    assert len(world.started) == 1


def test_an_api_server_that_is_gone_for_a_while_is_told_once_and_ends_nothing(
    world: World, one: runner.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_client: object, _name: str) -> None:
        raise httpx2.ConnectError("refused")

    world.pod = pod()
    one.look()
    monkeypatch.setattr(deployment, "find_pod", refuse)
    one.look()
    one.look()
    assert world.alive == [True]
    assert world.said.count("ConnectError: refused") == 1
    assert one.trouble() == "ConnectError: refused"
    monkeypatch.setattr(deployment, "find_pod", world.find)
    one.look()
    assert not one.trouble().startswith("ConnectError")


def test_a_machine_without_the_programs_is_told_as_the_trouble(
    world: World, one: runner.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.pod, world.command = pod(), ("no-such-program-here",)
    one.look()
    assert "no-such-program-here" in one.trouble()
