"""A site's whole life: up, up again, refresh, a lost node, down, and up once more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from lightkube import ApiError
from lightkube.generic_resource import (
    create_namespaced_resource,  # pyright: ignore[reportUnknownVariableType]
)
from lightkube.resources.core_v1 import Node
from sandbox_project import (
    Project,
    RunningSite,
    assert_nothing_changed,
    bring_up,
    labels_of,
    processes_that_mention,
    taints_of,
)

from gpu_cluster_sandbox.nodes import apply_nodes
from pulumi_gpu_cluster.reading.loading import load_stack_file

SITES = {"sandbox": "kueue", "gangs": "volcano"}


@pytest.fixture(scope="module", params=SITES, ids=lambda site: f"{site}-with-{SITES[site]}")
def site(
    request: pytest.FixtureRequest,
    running: RunningSite,
    project: Project,
    sandbox_site: dict[str, Any],
) -> Iterator[RunningSite]:
    """The sandbox's site under one of the schedulers; its tests run in the order written."""
    name: str = request.param
    if name == running.name:
        yield running
        return
    document = json.loads(json.dumps(sandbox_site))
    document["config"]["gpu-cluster:site"]["scheduler"] = {"kind": SITES[name]}
    project.write_site(document, name)
    yield bring_up(project, name)
    project.sandbox("stop", "--site", name)


def test_a_second_up_changes_nothing(site: RunningSite) -> None:
    assert_nothing_changed(site.sandbox("up"))


def test_a_refresh_shows_no_drift(site: RunningSite) -> None:
    refreshed = site.pulumi("refresh", "--yes", "--expect-no-changes")
    assert refreshed.code == 0, refreshed.output


def test_a_node_made_again_is_labelled_and_tainted_again(site: RunningSite) -> None:
    checked, _ = load_stack_file(site.workspace.site_file)
    assert checked is not None
    client = site.client()
    client.delete(Node, "gpu02")
    apply_nodes(client, checked)
    assert not taints_of(client, "gpu02"), "the new node must come bare, or this proves nothing"
    again = site.pulumi("up", "--yes", "--refresh", "--policy-pack", "policies")
    assert again.code == 0, again.output
    assert labels_of(client, "gpu02")["gpu-cluster.io/pool"] == "train"
    assert ("nvidia.com/gpu", "present", "NoSchedule") in taints_of(client, "gpu02")


def test_a_tenants_job_can_name_no_queue_of_another(site: RunningSite) -> None:
    if SITES[site.name] != "volcano":
        pytest.skip("a queue of Kueue's chooses its namespaces by itself")
    job = create_namespaced_resource("batch.volcano.sh", "v1alpha1", "Job", "jobs")
    client = site.client()

    def submit(queue: str) -> None:
        spec = {"queue": queue, "minAvailable": 1, "schedulerName": "volcano"}
        metadata = {"generateName": "try-", "namespace": "ml-team"}
        client.create(job.from_dict({"metadata": metadata, "spec": spec}), dry_run=True)

    submit("ml-team.train")
    for queue in ("vision.train", "default"):
        with pytest.raises(ApiError, match=r"must be one of this tenant: ml-team\.<pool>"):
            submit(queue)


def test_down_leaves_nothing_behind_and_up_works_again(site: RunningSite) -> None:
    gone = site.sandbox("down")
    assert gone.code == 0, gone.output
    assert not site.state.exists()
    assert not processes_that_mention(site.state)
    again = site.sandbox("up")
    assert again.code == 0, again.output
