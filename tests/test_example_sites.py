"""The example sites: whole, and without a word against them but for the secrets they wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulumi_gpu_cluster.reading.loading import load_stack_file, read_stack_file

# What a file in version control cannot hold: `gpu-cluster check` names it until it is set.
MISSING: dict[str, tuple[str, ...]] = {
    "sandbox": (),
    "research-institute": (
        "site.control_plane.rke2.token",
        "site.ssh.private_key",
        "site.monitoring.grafana.admin_password",
        "site.workloads.jupyterhub.oidc.client_secret",
        "site.workloads.jupyterhub.key",
    ),
    "ai-lab": (
        "site.ssh.private_key",
        "site.monitoring.receivers[1].slack.url",
        "site.monitoring.receivers[0].pagerduty.routing_key",
        "site.monitoring.grafana.admin_password",
        "site.slurm.database.password",
        "site.slurm.database.root_password",
        "site.slurm.slurm_key",
        "site.slurm.jwt_key",
        "site.storage.beegfs.file_systems[0].auth",
    ),
    "managed-cloud": (
        "site.monitoring.receivers[0].slack.url",
        "site.monitoring.grafana.admin_password",
    ),
}


def _file(root: Path, name: str) -> Path:
    return root / "stacks" / f"Pulumi.{name}.yaml"


def test_every_stack_file_of_ours_is_looked_at_here(root: Path) -> None:
    found = (root / "stacks").glob("Pulumi.*.yaml")
    names = {path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in found}
    committed = {name for name in names if not name.startswith("try-")}
    assert committed == set(MISSING)


@pytest.mark.parametrize("name", MISSING)
def test_nothing_is_said_against_an_example_but_that_its_secrets_are_missing(
    root: Path, name: str
) -> None:
    _, findings = load_stack_file(_file(root, name))
    told = [(finding.rule, finding.path) for finding in findings]
    assert told == [("secret-missing", path) for path in MISSING[name]]


@pytest.mark.parametrize("name", MISSING)
def test_an_example_says_at_its_top_who_runs_such_a_cluster(root: Path, name: str) -> None:
    lines = _file(root, name).read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../docs/site.schema.json"
    assert lines[1].startswith("# ")
    assert f"**[`{name}`]" in (root / "docs" / "examples" / "README.md").read_text()


@pytest.mark.parametrize("name", MISSING)
def test_an_example_is_named_as_its_file(root: Path, name: str) -> None:
    site, _ = read_stack_file(_file(root, name))
    assert site is not None
    assert site.name == name


@pytest.mark.parametrize("name", sorted(set(MISSING) - {"sandbox"}))
def test_no_example_teaches_to_give_up_users_data(root: Path, name: str) -> None:
    site, _ = read_stack_file(_file(root, name))
    assert site is not None
    assert site.teardown is None
