"""The working copy's secrets: taken out, made once, kept; starts nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from made_site import cpu_pool

from gpu_cluster_sandbox.stack.overrides import write_working_copy
from gpu_cluster_sandbox.stack.throw_away import made, put_back
from gpu_cluster_sandbox.stack.workspace import Workspace
from pulumi_gpu_cluster.secret import Generated, Given, MissingSecret

CLOSED = {"secure": "v1:dGhlIHVzZXI=:cw=="}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "Pulumi.yaml").write_text("name: lab\nruntime: python\n")
    state = tmp_path / ".sandbox" / "lab"
    state.mkdir(parents=True)
    return Workspace(tmp_path, "lab", state)


def _write(workspace: Workspace, **changes: object) -> None:
    site: dict[str, Any] = {
        "name": "lab",
        "control_plane": {"version": "1.36.3"},
        "node_pools": [cpu_pool()],
        **changes,
    }
    document = {"encryptionsalt": "v1:users", "config": {"gpu-cluster:site": site}}
    workspace.site_file.write_text(yaml.safe_dump(document))


def _copy(workspace: Workspace) -> dict[str, Any]:
    site: dict[str, Any] = yaml.safe_load(workspace.stack_file.read_text())["config"][
        "gpu-cluster:site"
    ]
    return site


def test_hosts_and_the_key_that_opens_them_stay_behind(workspace: Workspace) -> None:
    _write(
        workspace,
        control_plane={
            "kind": "rke2",
            "version": "v1.36.3+rke2r1",
            "endpoint": "10.20.0.10",
            "hosts": "cp1",
            "rke2": {"token": CLOSED},
        },
        ssh={"user": "ops", "private_key": CLOSED},
        hosts={"cp1": {"rack": "r1"}},
    )
    assert write_working_copy(workspace, "1.36.3") == ()
    assert "secure" not in workspace.stack_file.read_text()
    assert _copy(workspace)["control_plane"] == {"kind": "existing", "version": "1.36.3"}
    assert not {"ssh", "hosts"} & set(_copy(workspace))


def test_the_kubeconfig_of_the_working_copy_is_kept_and_the_users_never_used(
    workspace: Workspace,
) -> None:
    _write(workspace, control_plane={"version": "1.36.3", "kubeconfig": CLOSED})
    write_working_copy(workspace, "1.36.3")
    assert "kubeconfig" not in _copy(workspace)["control_plane"]
    ours = {"secure": "v1:b3Vycw==:cw=="}
    document = yaml.safe_load(workspace.stack_file.read_text())
    document["config"]["gpu-cluster:site"]["control_plane"]["kubeconfig"] = ours
    workspace.stack_file.write_text(yaml.safe_dump(document))
    write_working_copy(workspace, "1.36.3")
    assert _copy(workspace)["control_plane"]["kubeconfig"] == ours


def test_a_secret_goes_back_to_its_place_with_the_sections_around_it() -> None:
    site: dict[str, Any] = {"tenants": [{}]}
    put_back(site, ("tenants", 0, "account", "password"), CLOSED)
    put_back(site, ("database", "key"), CLOSED)
    assert site == {
        "tenants": [{"account": {"password": CLOSED}}],
        "database": {"key": CLOSED},
    }


def test_a_throw_away_secret_has_the_form_that_its_reader_wants() -> None:
    assert made(MissingSecret((), Given("a webhook", form="url"))).startswith("https://")
    assert made(MissingSecret((), Given("a password")))
    key = MissingSecret((), Generated("key"))
    assert made(key) != made(key)
