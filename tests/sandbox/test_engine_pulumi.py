"""The plugins under the real engine: a command's whole life in one project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bare_program import BareProgram

from gpu_cluster_sandbox.engine import Engine

PROGRAM = """
import os
import pulumi
from pulumi_command.local import Command

steps = "echo {{}} $WORD >> steps"
made = Command(
    "made",
    create=steps.format("create"),
    update=steps.format("update"),
    delete=steps.format("delete"),
    environment={{"WORD": {word!r}}},
    triggers=[{trigger!r}],
    stdin=pulumi.Output.secret("hunter2"),
)
pulumi.export("out", made.stdout)
"""


@pytest.fixture(scope="module")
def program(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> BareProgram:
    made = BareProgram(tmp_path_factory.mktemp("commands"), engine, Path("/nowhere"))
    write(made, "one", "a")
    assert made.pulumi("stack", "init", "commands").code == 0
    up(made)
    return made


def write(program: BareProgram, word: str, trigger: str) -> None:
    program.write(PROGRAM.format(word=word, trigger=trigger))


def steps(program: BareProgram) -> list[str]:
    return (program.folder / "steps").read_text().splitlines()


def up(program: BareProgram, *arguments: str) -> str:
    ran = program.pulumi("up", "--yes", "--skip-preview", *arguments)
    assert ran.code == 0, ran.output
    return ran.output


def test_a_secret_input_is_encrypted_in_the_state(program: BareProgram) -> None:
    exported = program.pulumi("stack", "export")
    (command,) = (
        resource
        for resource in json.loads(exported.output)["deployment"]["resources"]
        if resource["type"] == "command:local:Command"
    )
    where: dict[str, dict[str, Any]] = {part: command[part] for part in ("inputs", "outputs")}
    assert {part: "ciphertext" in values["stdin"] for part, values in where.items()} == {
        "inputs": True,
        "outputs": True,
    }
    assert "hunter2" not in exported.output


def test_a_command_is_created_updated_replaced_and_deleted_in_that_order(
    program: BareProgram,
) -> None:
    up(program, "--expect-no-changes")
    assert steps(program) == ["create one"]
    write(program, "two", "a")
    up(program)
    write(program, "two", "b")
    up(program)
    ran = program.pulumi("destroy", "--yes", "--skip-preview")
    assert ran.code == 0, ran.output
    assert steps(program) == [
        "create one",
        "update two",
        # A changed trigger: the new one first, then the old one goes.
        "create two",
        "delete two",
        "delete two",
    ]


def test_a_failing_command_fails_the_run_with_its_own_words(program: BareProgram) -> None:
    program.write(
        "from pulumi_command.local import Command\n"
        "Command('broken', create='echo no such disk >&2; exit 4')\n"
    )
    ran = program.pulumi("up", "--yes", "--skip-preview")
    assert ran.code
    assert 'exit status 4: running "echo no such disk >&2; exit 4"' in ran.output
    assert "Traceback" not in ran.output


def test_a_program_that_raises_fails_the_run_and_shows_where(program: BareProgram) -> None:
    program.write("raise ValueError('the rack is on fire')\n")
    ran = program.pulumi("preview")
    assert ran.code
    assert "ValueError: the rack is on fire" in ran.output
    assert "language_host" not in ran.output, "the host has no part in it"
