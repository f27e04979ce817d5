"""What `up` and `down` refuse, and that a refusal leaves everything as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lightkube.resources.core_v1 import Namespace
from sandbox_project import Project, RunningSite


def test_a_site_that_does_not_hold_together_starts_nothing(
    project: Project, sandbox_site: dict[str, Any]
) -> None:
    document = json.loads(json.dumps(sandbox_site))
    document["config"]["gpu-cluster:site"]["tenants"][0]["quota"]["train"]["gpu"] = 33
    project.write_site(document, "greedy")
    ran = project.sandbox("up", "--site", "greedy")
    assert ran.code == 1
    assert "error quota-over-capacity site.tenants[0].quota.train.gpu" in ran.output
    assert "Traceback" not in ran.output
    assert not (project.folder / ".sandbox" / "greedy" / "etcd").exists()


def test_an_unknown_site_is_answered_with_the_known_ones(
    project: Project, sandbox_site: dict[str, Any]
) -> None:
    project.write_site(sandbox_site, "known")
    ran = project.sandbox("up", "--site", "unknwon")
    assert ran.code == 1
    assert "known" in ran.output
    assert "Traceback" not in ran.output


@pytest.fixture(scope="module")
def kept(project: Project, sandbox_site: dict[str, Any]) -> RunningSite:
    """A site that says nothing about teardown, and so keeps its users' data."""
    document = json.loads(json.dumps(sandbox_site))
    site = document["config"]["gpu-cluster:site"]
    del site["teardown"]
    site["node_pools"] = [dict(site["node_pools"][0], nodes="gpu01")]
    site["tenants"] = [dict(site["tenants"][0], quota={"train": {"gpu": 8}})]
    project.write_site(document, "kept")
    ran = project.sandbox("up", "--site", "kept")
    assert ran.code == 0, ran.output
    return RunningSite(project, "kept", ran)


def test_down_of_a_site_that_keeps_its_data_lists_what_would_be_lost(kept: RunningSite) -> None:
    refused = kept.sandbox("down")
    assert refused.code == 1
    assert "namespace ml-team: 0 pods, 0 volume claims" in refused.output
    assert "teardown" in refused.output
    assert kept.client().get(Namespace, "ml-team")


def test_plain_destroy_cannot_take_a_tenant_either(kept: RunningSite) -> None:
    refused = kept.pulumi("destroy", "--yes")
    assert refused.code != 0
    assert "protect" in refused.output
    assert kept.client().get(Namespace, "ml-team")


def test_dropping_a_tenant_from_the_file_is_refused_with_the_words_to_use(
    kept: RunningSite, sandbox_site: dict[str, Any]
) -> None:
    before = kept.workspace.site_file.read_text()
    document = json.loads(json.dumps(sandbox_site))
    site = document["config"]["gpu-cluster:site"]
    del site["teardown"]
    site["node_pools"] = [dict(site["node_pools"][0], nodes="gpu01")]
    site["tenants"] = []
    kept.project.write_site(document, "kept")
    try:
        refused = kept.sandbox("up")
    finally:
        kept.workspace.site_file.write_text(before)
    assert refused.code == 1
    assert "state: leaving" in refused.output
    assert "Traceback" not in refused.output
    assert kept.client().get(Namespace, "ml-team")


def test_stopped_and_started_again_everything_is_there(kept: RunningSite) -> None:
    assert kept.sandbox("stop").code == 0
    started = kept.sandbox("start")
    assert started.code == 0, started.output
    assert kept.client().get(Namespace, "ml-team")


def test_a_simulated_cluster_goes_with_its_data_where_that_is_said(kept: RunningSite) -> None:
    gone = kept.sandbox("down", "--lose-data")
    assert gone.code == 0, gone.output
    assert not kept.state.exists()
