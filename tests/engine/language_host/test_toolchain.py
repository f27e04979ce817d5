from __future__ import annotations

from pathlib import Path

import pytest

from gpu_cluster_sandbox.engine.language_host.toolchain import (
    Python,
    ToolchainError,
    choose_python,
)


def make_virtualenv(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch(mode=0o755)
    return folder


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH with uv and python3 on it."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("uv", "python3"):
        (folder / name).touch(mode=0o755)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "infra").mkdir(parents=True)
    return folder


def choose(project: Path, path: Path | str, *, plugin: bool = False, **options: object) -> Python:
    environment = {"PATH": str(path), "PYTHONHOME": "/elsewhere", "KEPT": "yes"}
    return choose_python(project, project / "infra", options, environment, plugin=plugin)


def test_uv_takes_the_virtualenv_option_relative_to_the_project_file(
    project: Path, tools: Path
) -> None:
    venv = make_virtualenv(project / "environments" / "one")
    python = choose(project, tools, toolchain="uv", virtualenv="environments/one")
    assert python.executable == venv / "bin" / "python"


def test_uv_without_the_option_takes_the_environment_beside_the_lock(
    project: Path, tools: Path
) -> None:
    (project / "uv.lock").touch()
    venv = make_virtualenv(project / ".venv")
    assert choose(project, tools, toolchain="uv").executable == venv / "bin" / "python"


def test_uv_without_a_lock_takes_the_environment_beside_pyproject(
    project: Path, tools: Path
) -> None:
    (project / "pyproject.toml").touch()
    venv = make_virtualenv(project / ".venv")
    assert choose(project, tools, toolchain="uv").executable == venv / "bin" / "python"


def test_a_lock_alone_chooses_uv(project: Path, tools: Path) -> None:
    (project / "uv.lock").touch()
    venv = make_virtualenv(project / ".venv")
    assert choose(project, tools).executable == venv / "bin" / "python"


def test_uv_that_is_not_on_path_is_an_error(project: Path, tmp_path: Path) -> None:
    make_virtualenv(project / ".venv")
    with pytest.raises(ToolchainError, match="no `uv` is on PATH"):
        choose(project, tmp_path, toolchain="uv", virtualenv=".venv")


def test_a_missing_environment_is_an_error_with_uv(project: Path, tools: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        choose(project, tools, toolchain="uv", virtualenv=".venv")
    assert f"{project / '.venv'} is not a virtual environment" in str(caught.value)


def test_a_missing_environment_is_an_error_with_pip(project: Path, tools: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        choose(project, tools, toolchain="pip", virtualenv="venv")
    assert f"'venv', but {project / 'venv'} does not exist" in str(caught.value)


def test_a_folder_without_python_is_no_environment(project: Path, tools: Path) -> None:
    (project / "venv").mkdir()
    with pytest.raises(ToolchainError, match="is not a virtual environment"):
        choose(project, tools, virtualenv="venv")


def test_pip_takes_its_environment_relative_to_the_project_file(project: Path, tools: Path) -> None:
    venv = make_virtualenv(project / "venv")
    python = choose(project, tools, toolchain="pip", virtualenv="venv")
    assert python.executable == venv / "bin" / "python"


def test_without_any_option_the_python_on_path_runs_the_program(project: Path, tools: Path) -> None:
    assert choose(project, tools).executable == tools / "python3"


def test_the_user_can_name_the_python_on_path(project: Path, tools: Path) -> None:
    (tools / "python3.99").touch(mode=0o755)
    environment = {"PATH": str(tools), "PULUMI_PYTHON_CMD": "python3.99"}
    python = choose_python(project, project, {}, environment)
    assert python.executable == tools / "python3.99"


def test_no_python_on_path_is_an_error(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="none of python3, python is on PATH"):
        choose(project, tmp_path)


def test_a_plugin_never_runs_in_the_python_on_path(project: Path, tools: Path) -> None:
    with pytest.raises(ToolchainError, match="venv does not exist"):
        choose(project, tools, plugin=True)


def test_the_environment_is_activated_for_what_the_program_starts(
    project: Path, tools: Path
) -> None:
    venv = make_virtualenv(project / "venv")
    environment = choose(project, tools, virtualenv="venv").environment
    assert environment == {
        "PATH": f"{venv / 'bin'}:{tools}",
        "VIRTUAL_ENV": str(venv),
        "KEPT": "yes",
    }


def test_poetry_is_refused_with_the_way_out(project: Path, tools: Path) -> None:
    (project / "poetry.lock").touch()
    with pytest.raises(ToolchainError, match=r"'poetry' is not known .* use uv or pip"):
        choose(project, tools)


def test_an_option_of_the_wrong_type_is_named(project: Path, tools: Path) -> None:
    with pytest.raises(ToolchainError, match="'virtualenv' option must be a string, not True"):
        choose(project, tools, virtualenv=True)
