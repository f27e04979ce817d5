"""`gpu-cluster recover` where the engine or the project has something to say against it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pulumi_gpu_cluster.operations.recover.command import command

EMPTY: dict[str, Any] = {"version": 3, "deployment": None}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose `pulumi` says what a test has it say, and writes down what it was asked."""
    (tmp_path / "Pulumi.yaml").write_text("name: site\nruntime: python\n")
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path


def engine(project: Path, url: str, state: dict[str, Any], refresh: str = "true") -> None:
    (project / "state.json").write_text(json.dumps(state))
    script = f"""#!/bin/sh
echo "$@" >> {project}/asked
case "$1 $2" in
"whoami "*) echo '{{"user": "me", "url": "{url}"}}' ;;
"stack export") cat {project}/state.json ;;
"stack import") cat > {project}/state.json ;;
"refresh "*) {refresh} ;;
esac
"""
    path = project / "bin" / "pulumi"
    path.write_text(script)
    path.chmod(0o755)


def run(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(command, ["--stack", "lab", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output.splitlines()


def pending(kind: str, operation: str = "creating") -> dict[str, Any]:
    resource = {
        "urn": f"urn:pulumi:lab::site::{kind}::one",
        "custom": True,
        "type": kind,
        "inputs": {"metadata": {"name": "one", "namespace": "home"}},
    }
    operations = [{"type": operation, "resource": resource}]
    return {
        "version": 3,
        "deployment": {"manifest": {}, "resources": [], "pending_operations": operations},
    }


def test_a_stack_that_never_ran_is_settled(project: Path) -> None:
    engine(project, f"file://{project}/backend", EMPTY)
    assert run() == (0, ["settled; the next run is: pulumi up --stack lab"])


def test_other_backends_keep_their_locks_themselves(project: Path) -> None:
    engine(project, "https://states.example/me", EMPTY)
    assert run() == (
        0,
        [
            (
                "this backend keeps its locks itself: if it says that a run is under way and none "
                "is, use: pulumi cancel --stack lab"
            ),
            "settled; the next run is: pulumi up --stack lab",
        ],
    )


def test_somebody_elses_lock_stops_everything_and_stays(project: Path) -> None:
    engine(project, f"file://{project}/backend", EMPTY)
    place = project / "backend/.pulumi/locks/organization/site/lab"
    place.mkdir(parents=True)
    content = {
        "pid": 1,
        "username": "ann",
        "hostname": f"not-{socket.gethostname()}",
        "timestamp": "2026-11-30T12:45:44.388432472Z",
    }
    lock = place / "1.json"
    lock.write_text(json.dumps(content))
    code, lines = run()
    assert (code, lines[0]) == (1, "Error: the stack is locked:")
    assert f"{lock}: taken by ann@not-{socket.gethostname()}, process 1, at " in lines[1]
    assert lines[2] == (
        "fix: wait for that run to end, or be sure that there is none and use: pulumi cancel "
        "--stack lab"
    )
    assert lock.exists()
    assert "export" not in (project / "asked").read_text()


def test_a_kind_that_it_does_not_know_leaves_the_state_as_it_is(project: Path) -> None:
    engine(project, f"file://{project}/backend", pending("aws:s3/bucket:Bucket"))
    assert run() == (
        1,
        [
            (
                "Error: it is not known whether these were created: "
                "urn:pulumi:lab::site::aws:s3/bucket:Bucket::one; fix: run pulumi refresh --stack "
                "lab at a terminal, it asks for each"
            ),
        ],
    )
    assert "import" not in (project / "asked").read_text()


def test_what_was_adopted_and_never_read_is_read_by_the_next_recovery(project: Path) -> None:
    config = pending("kubernetes:core/v1:ConfigMap")
    engine(project, f"file://{project}/backend", config, refresh="echo error: no way >&2; exit 1")
    code, lines = run("--config-file", "working.yaml")
    assert (code, lines[-1]) == (
        1,
        (
            "Error: pulumi refresh ended with exit code 1: error: no way; fix: mend that, then run "
            "this again"
        ),
    )
    kept = json.loads((project / "state.json").read_text())
    assert "pending_operations" not in kept["deployment"]
    engine(project, f"file://{project}/backend", kept)
    code, lines = run()
    assert (code, lines) == (
        0,
        [
            "reading 1 resources that were under way from the cluster",
            "kubernetes:core/v1:ConfigMap one is there",
            "settled; the next run is: pulumi up --stack lab",
        ],
    )
    asked = (project / "asked").read_text().splitlines()
    urn = "urn:pulumi:lab::site::kubernetes:core/v1:ConfigMap::one"
    first, second = (line for line in asked if line.startswith("refresh"))
    assert "--config-file working.yaml" in first
    assert first.endswith(f"--target {urn} --color never")
    assert second.endswith(f"--target {urn} --color never")


def test_a_lock_that_the_engine_finds_comes_with_the_word_that_takes_it_away(
    project: Path,
) -> None:
    said = "echo 'error: the stack is currently locked by 1 lock(s).' >&2; exit 1"
    engine(project, "s3://states", pending("kubernetes:core/v1:ConfigMap"), refresh=said)
    code, lines = run()
    assert code == 1
    assert lines[-1].endswith(
        "then run this again. If no run is under way, pulumi cancel --stack lab takes the lock away"
    )


def test_without_a_project_or_an_engine_it_says_what_is_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run() == (
        1,
        ["Error: there is no pulumi on PATH; fix: install it, then run this again"],
    )
    (project / "Pulumi.yaml").unlink()
    code, lines = run()
    assert code == 1
    assert lines == [
        f"Error: there is no Pulumi.yaml in {project} or above; fix: run this in the project"
    ]
