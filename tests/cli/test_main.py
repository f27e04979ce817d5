"""The command line as a whole: quick, lazy, and never a stack trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pulumi_gpu_cluster.cli import main as main_module
from pulumi_gpu_cluster.cli.main import command, main

_COMMANDS = command.list_commands(None)  # type: ignore[arg-type]


def test_help_loads_neither_the_models_nor_the_engine() -> None:
    program = (
        "import sys\n"
        "from pulumi_gpu_cluster.cli.main import main\n"
        "sys.argv[1:] = ['--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "loaded = {'pydantic', 'pulumi', 'yaml', 'lightkube'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in _COMMANDS:
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_of_the_table_is_there_and_says_what_it_does(name: str) -> None:
    result = CliRunner().invoke(command, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert "Usage: " in result.output


def test_a_command_that_is_not_there_is_wrong_usage() -> None:
    result = CliRunner().invoke(command, ["chek"])
    assert result.exit_code == 2
    assert "No such command 'chek'" in result.output


def test_a_fault_of_the_program_itself_is_one_line_that_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr(main_module, "command", broken)
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.startswith("error: a fault of gpu-cluster itself (KeyError); fix: ")
    assert "hunter2" not in said
    assert said.count("\n") == 1
    monkeypatch.setenv("GPU_CLUSTER_DEBUG", "1")
    with pytest.raises(KeyError):
        main()


def test_a_reader_that_goes_away_early_is_no_fault(root: Path) -> None:
    pipeline = f"{sys.executable} -m pulumi_gpu_cluster.cli schema | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipeline],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr


def test_versions_are_those_of_the_catalogue() -> None:
    result = CliRunner().invoke(command, ["versions"])
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.output.splitlines())
    assert lines["gpu-operator"] == "v26.7.0"
    assert lines["kubernetes"] == "1.35, 1.36"
