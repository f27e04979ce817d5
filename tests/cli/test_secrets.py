"""gpu-cluster secrets init, on a model that needs secrets and with a stand-in for pulumi."""

from __future__ import annotations

import base64
import json
import os
import stat
import sys
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner
from made_site import raw_site, stack_text
from pydantic import SecretStr

from pulumi_gpu_cluster.cli.secrets import command, init_secrets, make
from pulumi_gpu_cluster.cli.stack_config import StackConfig
from pulumi_gpu_cluster.secret import OPAQUE, Generated, Given
from pulumi_gpu_cluster.section import Section

PULUMI = """#!{python}
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps({{"argv": sys.argv[1:], "stdin": sys.stdin.read()}}) + "\\n")
if os.environ.get("FAIL"):
    print("error: no such stack: " + sys.argv[-1], file=sys.stderr)
    sys.exit(255)
"""


class Database(Section):
    password: Annotated[SecretStr | None, Generated("password")] = None
    key: Annotated[SecretStr | None, Generated("key")] = None
    licence: Annotated[SecretStr | None, Given("the vendor's licence")] = None


class Example(Section):
    database: Database = Database()


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the stand-in writes how it was called."""
    program = tmp_path / "bin" / "pulumi"
    program.parent.mkdir()
    program.write_text(PULUMI.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path / "calls"


def test_each_missing_secret_goes_to_pulumi_once_and_never_by_its_arguments(
    calls: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site = Example(database=Database(licence=OPAQUE))
    assert init_secrets(site, StackConfig("lab", Path("lab.yaml"))) == 0
    made = [json.loads(line) for line in calls.read_text().splitlines()]
    options = ["--secret", "--stack", "lab", "--config-file", "lab.yaml", "--path"]
    assert [call["argv"] for call in made] == [
        ["config", "set", *options, "gpu-cluster:site.database.password"],
        ["config", "set", *options, "gpu-cluster:site.database.key"],
    ]
    values = [call["stdin"] for call in made]
    said = capfd.readouterr()
    for value in values:
        assert len(value) >= 32
        assert value not in said.out + said.err
    assert said.out == (
        "made gpu-cluster:site.database.password\nmade gpu-cluster:site.database.key\n"
    )


def test_what_is_there_already_is_never_made_again(
    calls: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site = Example(database=Database(password=OPAQUE, key=OPAQUE, licence=OPAQUE))
    assert init_secrets(site, StackConfig("lab")) == 0
    assert not calls.exists()
    assert capfd.readouterr().out == "nothing to do: the site has all its secrets\n"


def test_a_secret_that_only_the_user_has_is_listed_with_the_command_to_type(
    calls: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    site = Example(database=Database(password=OPAQUE, key=OPAQUE))
    assert init_secrets(site, StackConfig("lab")) == 1
    assert not calls.exists()
    said = capfd.readouterr().err
    assert "the vendor's licence" in said
    assert (
        "  pulumi config set --secret --stack lab --path gpu-cluster:site.database.licence" in said
    )


def test_a_failure_of_pulumi_is_told_and_the_next_secret_is_tried(
    calls: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAIL", "1")
    site = Example(database=Database(licence=OPAQUE))
    assert init_secrets(site, StackConfig("nope")) == 1
    made = [json.loads(line) for line in calls.read_text().splitlines()]
    said = capfd.readouterr().err
    assert len(made) == 2
    assert said.count("error secret-not-kept ") == 2
    assert "pulumi ended with exit code 255: error: no such stack" in said
    for call in made:
        assert call["stdin"] not in said


def test_a_machine_without_pulumi_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert init_secrets(Example(database=Database(licence=OPAQUE)), StackConfig("lab")) == 1
    assert "there is no pulumi on PATH; fix: install it" in capfd.readouterr().err


def test_generated_secrets_are_long_random_and_of_their_kind() -> None:
    passwords = {make(Generated("password")) for _ in range(50)}
    keys = {make(Generated("key")) for _ in range(50)}
    assert len(passwords) == len(keys) == 50
    assert all(len(password) == 32 and password.isalnum() for password in passwords)
    assert all(len(base64.b64decode(key, validate=True)) == 32 for key in keys)


def test_the_command_reads_the_stack_file_of_the_site(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacks").mkdir()
    file = tmp_path / "stacks" / "Pulumi.lab.yaml"
    file.write_text(stack_text(raw_site()))
    result = CliRunner().invoke(command, ["init", "-s", "lab"])
    assert (result.exit_code, result.output) == (0, "nothing to do: the site has all its secrets\n")
    file.unlink()
    result = CliRunner().invoke(command, ["init", "-s", "lab"])
    assert result.exit_code == 1
    assert result.output.startswith("error unreadable-file stacks/Pulumi.lab.yaml: ")
