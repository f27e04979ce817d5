"""What `up` tells to try next; starts nothing."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from gpu_cluster_sandbox.stack.summary import summary


def _outputs(**changes: object) -> dict[str, Any]:
    tenant = {
        "name": "ml-team",
        "namespace": "ml-team",
        "quota": {"requests.nvidia.com/gpu": "8"},
        "queue": "default",
        **changes,
    }
    return {"pools": [], "tenants": [tenant]}


def test_the_line_for_the_shell_holds_where_the_path_has_spaces() -> None:
    said = summary(_outputs(), Path("/opt/ada/my lab/kubeconfig"))
    (line,) = [line for line in said.splitlines() if "export" in line]
    assert shlex.split(line) == ["export", "KUBECONFIG=/opt/ada/my lab/kubeconfig"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, True),
        ({"namespace": "vision"}, False),
        ({"queue": "ml-team.train"}, False),
        ({"quota": {"requests.nvidia.com/gpu": "0"}}, False),
    ],
)
def test_the_example_job_is_named_only_where_it_can_run(
    changes: dict[str, object], *, named: bool
) -> None:
    said = summary(_outputs(**changes), Path("/kubeconfig"))
    assert ("docs/examples/job.yaml" in said) is named


def test_a_tenants_share_of_slurm_is_told_where_it_has_no_gpus_in_kubernetes() -> None:
    said = summary(
        _outputs(quota={}, slurm={"account": "ml-team", "gpus": 96.0}), Path("/kubeconfig")
    )
    assert "SLURM ACCOUNT" in said
    assert "ml-team: 96 GPUs at most" in said
    assert "SLURM ACCOUNT" not in summary(_outputs(), Path("/kubeconfig"))


def test_a_node_that_takes_no_work_yet_is_not_hidden_by_a_run_that_ended_well() -> None:
    waiting = "gpu02: no driver yet"
    assert waiting in summary({**_outputs(), "pending": [waiting]}, Path("/kubeconfig"))
    assert "Not done yet" not in summary({**_outputs(), "pending": []}, Path("/kubeconfig"))
