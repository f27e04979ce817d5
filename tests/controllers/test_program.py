"""A controller finds its files where its image would have them, and nothing appears elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_cluster_sandbox.controllers.program import Home, command
from gpu_cluster_sandbox.engine.build import carried
from gpu_cluster_sandbox.engine.pins import GPU_OPERATOR


@pytest.mark.parametrize(("user", "needs_rights"), [(0, False), (1000, True)])
def test_a_root_folder_of_its_own_is_made_in_a_mount_namespace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, user: int, needs_rights: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("GPU_CLUSTER_CACHE", str(tmp_path / "cache"))
    line = command(GPU_OPERATOR, ["--an=option"], Home(tmp_path / "home"))
    assert line[:2] == ["unshare", "--mount"]
    assert ("--map-root-user" in line) is needs_rights
    mounts, last = line[-1].splitlines()[:-1], line[-1].splitlines()[-1]
    root = carried(GPU_OPERATOR)
    assert {mount.split()[-1] for mount in mounts} == {f"{root}/run", f"{root}/host-etc"}
    assert last.endswith(f"chroot {root} /gpu-operator --an=option")
    assert "--pdeathsig KILL" in last, "it must not outlive its runner"


def test_its_node_is_of_the_kind_that_all_simulated_nodes_are(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    home.prepare()
    release = (tmp_path / "home" / "host-etc" / "os-release").read_text()
    assert release.splitlines() == ["ID=ubuntu", 'VERSION_ID="24.04"']
