"""Stack files between us and the engine: read alike, and secrets kept by its own command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from gpu_cluster_sandbox.engine import Engine
from pulumi_gpu_cluster.cli.stack_config import StackConfig
from pulumi_gpu_cluster.reading.loading import load_stack_file
from pulumi_gpu_cluster.reading.yaml_text import Loader, Reader

VALUES = """\
a: [no, on, yes, true, TRUE, ~, null, "", 'no']
b: [12:30:00, 2026-12-31, "2026-12-31", 2026-1-5, 2026-13-31, 2-00:00:00, 580.173.02]
c: [1, 010, 08, 0x1F, 0b11, 0o17, 1_000, +5, -3]
d: [580.65, 580.10, .5, 5., 1e3, 1_0.5]
e: [!!str 5, 'it''s', "tab\\t", 500Gi, <<]
f: &f {p: 1, q: 2}
g: {<<: *f, q: 3}
h:
- |
  two
  lines
- >-
  folded
  text
"""


@pytest.fixture(scope="module")
def stack(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A project with an empty stack, and the environment of its commands."""
    folder = tmp_path_factory.mktemp("stack-files")
    (folder / "stacks").mkdir()
    (folder / "Pulumi.yaml").write_text("name: lab\nruntime: yaml\nstackConfigDir: stacks\n")
    environment = {
        **os.environ,
        **engine.environment(),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": folder.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "a passphrase",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
    }
    subprocess.run(
        ["pulumi", "stack", "init", "lab"],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    return folder, environment


def _write(folder: Path, site: str) -> Path:
    path = folder / "stacks" / "Pulumi.lab.yaml"
    salt = next(line for line in path.read_text().splitlines() if "encryptionsalt" in line)
    body = "".join(f"    {line}\n" for line in site.splitlines())
    path.write_text(f"{salt}\nconfig:\n  gpu-cluster:site:\n{body}")
    return path


def _as_the_engine_has_it(stack: tuple[Path, dict[str, str]]) -> object:
    folder, environment = stack
    done = subprocess.run(
        ["pulumi", "config", "--json", "--show-secrets", "--stack", "lab"],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(json.loads(done.stdout)["gpu-cluster:site"]["value"])


def test_a_value_is_read_as_the_engine_reads_it(stack: tuple[Path, dict[str, str]]) -> None:
    _write(stack[0], VALUES)
    node = yaml.compose(VALUES, Loader=Loader)
    assert node is not None
    assert Reader().read(node, "site") == _as_the_engine_has_it(stack)


def test_a_secret_kept_by_us_is_decrypted_by_the_engine_and_stays_closed_to_check(
    stack: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, environment = stack
    site = "name: lab\ncontrol_plane: {version: 1.36.3}\nnode_pools:\n"
    site += '- {name: train, nodes: "n[1-2]", cpus: 8, memory: 8Gi}\n'
    path = _write(folder, site)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    kubeconfig = "apiVersion: v1\nkind: Config\n- a line that looks like an option"
    key = "gpu-cluster:site.control_plane.kubeconfig"
    assert StackConfig("lab").set_secret(key, kubeconfig) is None
    assert "apiVersion" not in path.read_text()
    read = _as_the_engine_has_it(stack)
    assert isinstance(read, dict)
    assert read["control_plane"]["kubeconfig"] == kubeconfig
    loaded, findings = load_stack_file(path)
    assert findings == ()
    assert loaded is not None
    assert loaded.control_plane.kubeconfig is not None
    assert StackConfig("nope").set_secret(key, kubeconfig) == (
        "pulumi ended with exit code 6: error: no stack named 'nope' found; fix: mend that first"
    )
