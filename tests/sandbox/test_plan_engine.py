"""`gpu-cluster plan` reads what the real engine says it would do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bare_program import BareProgram

PROGRAM = """
import os
import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
provider = k8s.Provider(
    "cluster", kubeconfig=open(os.environ["KUBECONFIG"]).read(), cluster_identifier="bare"
)
there = pulumi.ResourceOptions(provider=provider)
team = config.get("team") or "team"
k8s.core.v1.Namespace("team", metadata={"name": team}, opts=there)
for node in ("gpu01", "gpu02"):
    layout = config.get(node) or "all-3g.40gb"
    labels = {"gpu-cluster.io/pool": "serve", "nvidia.com/mig.config": layout}
    k8s.core.v1.Node(node, metadata={"name": node, "labels": labels}, opts=there)
"""


@pytest.fixture(scope="module")
def program(bare: BareProgram) -> BareProgram:
    bare.write(PROGRAM)
    assert bare.pulumi("stack", "init", "dev").code == 0
    up = bare.pulumi("up", "--yes", "--stack", "dev")
    assert up.code == 0, up.output
    return bare


def plan(program: BareProgram, *options: str, **config: str) -> tuple[int, list[str]]:
    for key in ("team", "gpu01", "gpu02"):
        value = config.get(key)
        change = ("set", key, value) if value else ("rm", key)
        program.pulumi("config", *change, "--stack", "dev")
    made = program.run("bash", "-c", "pulumi preview --json --stack dev > preview.json")
    assert made.code == 0, made.output
    command = str(Path(sys.executable).parent / "gpu-cluster")
    done = program.run(command, "plan", *options, "preview.json")
    return done.code, [line.split()[1] for line in done.output.splitlines()[:-1]]


def test_a_run_that_changes_nothing_may_go_on(program: BareProgram) -> None:
    assert plan(program, "--nodes", "") == (0, [])


def test_a_namespace_that_would_be_made_anew_stops_the_run(program: BareProgram) -> None:
    assert plan(program, team="renamed") == (1, ["mass-replace"])


def test_another_layout_is_told_and_a_node_that_nobody_named_stops_the_run(
    program: BareProgram,
) -> None:
    code, told = plan(program, "--nodes", "gpu01", gpu01="all-1g.10gb")
    assert (code, told) == (0, ["mig-layout-changed"])
    code, told = plan(program, "--nodes", "gpu01", gpu02="all-1g.10gb")
    assert (code, told) == (
        1,
        ["mig-layout-changed", "nodes-touched"],
    )
