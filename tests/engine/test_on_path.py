from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu_cluster_sandbox.engine.on_path import find_plugin, find_programs
from gpu_cluster_sandbox.engine.pins import PROGRAMS, Program

Place = Callable[..., Path]


def programs(*names: str) -> list[Program]:
    return [program for program in PROGRAMS if program.name in names]


@pytest.mark.parametrize(
    ("name", "line", "fits"),
    [
        ("pulumi", "v3.219.0", True),
        ("pulumi", "v3.218.0", False),
        ("pulumi", "v4.0.0", False),
        ("etcd", "etcd Version: 3.5.21", True),
        ("etcd", "etcd Version: 3.6.0", True),
        ("etcd", "etcd Version: 3.4.30", False),
        ("etcd", "etcd Version: 3.7.0", False),
        ("kwok", "kwok version v0.7.0 go1.24.1 (linux/amd64)", True),
        ("kwok", "kwok version v0.6.1 go1.24.1 (linux/amd64)", False),
        ("kube-apiserver", "Kubernetes v1.36.0", True),
        ("kube-apiserver", "Kubernetes v1.35.9-eks-1", True),
        ("kube-apiserver", "Kubernetes v1.34.9", False),
        ("kube-apiserver", "Kubernetes v1.37.0", False),
        ("etcd", "no version here", False),
    ],
)
def test_a_program_on_path_is_used_at_a_fitting_version(
    place: Place, told: list[str], name: str, line: str, *, fits: bool
) -> None:
    program = place(name, line)
    found = find_programs(programs(name), told.append)
    assert found == ({name: program} if fits else {})
    assert [str(program) in text for text in told] == ([] if fits else [True])


def test_a_program_that_fails_to_tell_its_version_is_not_used(
    place: Place, told: list[str]
) -> None:
    place("etcd", "etcd Version: 3.6.16", code=1)
    assert find_programs(programs("etcd"), told.append) == {}


def test_the_kubernetes_provider_is_used_at_any_version(place: Place, told: list[str]) -> None:
    program = place("pulumi-resource-kubernetes", "4.34.2")
    found = find_programs(programs("pulumi-resource-kubernetes"), told.append)
    assert found == {"pulumi-resource-kubernetes": program}


def test_kubebuilder_assets_come_before_path(
    place: Place, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place("etcd", "etcd Version: 3.6.1")
    assets = tmp_path / "assets"
    assets.mkdir()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    program = place("etcd", "etcd Version: 3.6.2", folder=assets)
    assert find_programs(programs("etcd"), told.append) == {"etcd": program}


PARTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def test_kubernetes_parts_of_one_older_minor_are_used_together(
    place: Place, told: list[str]
) -> None:
    placed = {name: place(name, "Kubernetes v1.35.2") for name in PARTS}
    assert find_programs(programs(*PARTS), told.append) == placed


def test_an_older_part_is_not_mixed_with_the_ones_that_are_built(
    place: Place, told: list[str]
) -> None:
    place("kube-apiserver", "Kubernetes v1.35.2")
    assert find_programs(programs(*PARTS), told.append) == {}
    assert "1.35 beside parts of another minor version" in told[0]


def test_a_part_of_our_minor_is_used_beside_the_ones_that_are_built(
    place: Place, told: list[str]
) -> None:
    program = place("kube-apiserver", "Kubernetes v1.36.1")
    assert find_programs(programs(*PARTS), told.append) == {"kube-apiserver": program}


def test_a_plugin_beside_the_machines_pulumi_is_found(
    place: Place, path: Path, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    release.mkdir()
    pulumi = place("pulumi", "v3.274.1", folder=release)
    plugin = place("pulumi-language-python", "", folder=release)
    assert find_plugin("pulumi-language-python") is None
    (path / "pulumi").symlink_to(pulumi)
    assert find_plugin("pulumi-language-python") == plugin
