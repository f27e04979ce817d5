"""gpu-cluster upgrade plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from made_site import gpu_pool, raw_site, stack_text

from pulumi_gpu_cluster.cli.upgrade import command


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A stack file, on a machine where nobody names a cluster."""
    monkeypatch.delenv("KUBECONFIG", raising=False)
    driver = {"version": "595.91.07", "upgrade": {"canary": "train02", "wave": 2}}
    path = tmp_path / "site.yaml"
    path.write_text(stack_text(raw_site(node_pools=[gpu_pool(driver=driver)])))
    return str(path)


def test_the_plan_tells_operator_waves_and_what_happens_on_each_node(stack: str) -> None:
    result = CliRunner().invoke(command, ["plan", stack])
    assert result.exit_code == 0
    assert result.output.startswith(
        "site lab, without looking at a cluster\n"
        "\n"
        "first: the GPU Operator becomes v26.7.0, if it is another one\n"
        "\n"
        "pool train: driver 595.91.07, 4 nodes in 3 waves\n"
        "  canary  train02\n"
        "  wave 2  train01\n"
        "  wave 2  train03\n"
        "  wave 3  train04\n"
        "  assumed: every node has another driver\n"
    )
    assert "are waited for; other pods that hold GPUs are deleted" in result.output


def test_a_kubeconfig_that_is_not_there_is_one_line(stack: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    result = CliRunner().invoke(command, ["plan", stack, "--kubeconfig", missing])
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"Error: there is no kubeconfig at {missing}; fix: set KUBECONFIG to one"
    ]


def test_the_kubeconfig_of_the_home_is_not_taken_unasked(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("nonsense")
    assert "without looking at a cluster" in CliRunner().invoke(command, ["plan", stack]).output
