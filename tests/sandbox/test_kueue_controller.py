"""Kueue's real controller, on the queues that a site's tenants get."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

import pytest
from attack import OWN, Attacker, pod
from bare_cluster import until
from lightkube import ApiError, Client, generic_resource
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Pod
from queued_jobs import GPU, Submitter, holds
from sandbox_project import Project, RunningSite, assert_nothing_changed

SLICE: Final = "nvidia.com/mig-3g.40gb"
HALF: Final = {"gpu": {"guarantee": 16, "ceiling": 32}}
ClusterQueue: Final[Any] = cast("Any", generic_resource).create_global_resource(
    "kueue.x-k8s.io", "v1beta2", "ClusterQueue", "clusterqueues"
)


@pytest.fixture(scope="module")
def queued(project: Project, sandbox_site: dict[str, Any]) -> RunningSite:
    """The sandbox's site, where two tenants share the 32 GPUs of a pool by halves."""
    site = sandbox_site["config"]["gpu-cluster:site"]
    tenants = [
        {**tenant, "quota": {**tenant["quota"], "train": HALF}}
        if "train" in tenant["quota"]
        else tenant
        for tenant in site["tenants"]
    ]
    project.write_site({"config": {"gpu-cluster:site": {**site, "tenants": tenants}}}, "queued")
    ran = project.sandbox("up", "--site", "queued", "--with", "kueue", timeout=600)
    assert ran.code == 0, ran.output
    return RunningSite(project, "queued", ran)


@pytest.fixture
def client(queued: RunningSite) -> Iterator[Client]:
    """The administrator, who clears away what a test submitted."""
    who = queued.client()
    yield who
    for tenant in ("ml-team", "vision", "students"):
        for kind in (Job, Pod):
            who.deletecollection(kind, namespace=tenant, grace_period=0)
        until(partial(_is_empty, who, tenant), "its pods are gone")


def test_it_takes_every_queue_that_a_tenant_gets(client: Client) -> None:
    def active() -> bool:
        found = list(client.list(ClusterQueue))
        return bool(found) and all(holds(one, "Active") for one in found)

    until(active, "every ClusterQueue is active")


def test_what_it_writes_into_its_objects_is_no_change(queued: RunningSite) -> None:
    assert_nothing_changed(queued.sandbox("up"))
    refreshed = queued.pulumi("preview", "--refresh", "--expect-no-changes", "--diff")
    assert refreshed.code == 0, refreshed.output


def test_a_job_within_its_tenants_guarantee_starts_and_one_past_the_ceiling_never_does(
    client: Client,
) -> None:
    within = Submitter(client, "ml-team").submit("within", pods=2, devices={GPU: 8})
    past = Submitter(client, "ml-team").submit("past", pods=5, devices={GPU: 8})
    until(within.starts, "the job within the guarantee runs")
    until(past.waits, "the job past the ceiling waits")


def test_borrowed_gpus_go_back_when_the_tenant_they_were_promised_to_asks(client: Client) -> None:
    own = Submitter(client, "ml-team").submit("own", pods=2, devices={GPU: 8})
    until(own.starts, "what was promised runs")
    borrowed = Submitter(client, "ml-team").submit("borrowed", pods=2, devices={GPU: 8})
    until(borrowed.starts, "what nobody uses is lent")
    rightful = Submitter(client, "vision").submit("rightful", pods=2, devices={GPU: 8})
    until(rightful.starts, "the promise is kept")
    until(borrowed.waits, "the borrower waits")
    assert borrowed.is_preempted()
    assert own.starts()


def test_a_slice_comes_from_the_pool_that_has_slices(client: Client) -> None:
    job = Submitter(client, "students").submit("slices", pods=2, devices={SLICE: 1})
    until(job.starts, "both pods run")
    nodes = {str(one.spec.nodeName) for one in job.pods() if one.spec}
    assert nodes <= {"mig01", "mig02"}


def test_a_tenant_without_gpus_in_a_pool_never_gets_one_there(client: Client) -> None:
    job = Submitter(client, "students").submit("hopeful", pods=1, devices={GPU: 1})
    other = Submitter(client, "students").submit("slice", pods=1, devices={SLICE: 1})
    until(other.starts, "what its queue has runs")
    assert job.waits()


def test_a_job_that_names_no_queue_goes_through_the_tenants_all_the_same(client: Client) -> None:
    job = Submitter(client, "ml-team").submit("nameless", pods=1, devices={GPU: 1}, queue="")
    until(job.starts, "it runs once its queue let it")
    admitted = client.get(Job, "nameless", namespace="ml-team")
    assert admitted.metadata is not None
    assert (admitted.metadata.labels or {}).get("kueue.x-k8s.io/queue-name") == "default"


def test_a_plain_pod_is_held_at_a_gate_that_its_queue_opens(
    queued: RunningSite, client: Client
) -> None:
    limits = {"limits": {"cpu": "1", "memory": "1Gi", GPU: "1"}}
    toleration = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
    plain = pod(container={"resources": limits}, tolerations=[toleration])
    sent = Attacker(queued.state, "ml-team").sends("POST", f"{OWN}/pods", plain)
    assert sent.status == HTTPStatus.CREATED, sent.said
    assert {"name": "kueue.x-k8s.io/admission"} in sent.said["spec"]["schedulingGates"]

    def starts() -> bool:
        one = client.get(Pod, "sly", namespace="ml-team")
        return bool(one.spec and one.spec.nodeName)

    until(starts, "its queue lets it through")


def test_a_queue_that_its_webhook_would_refuse_is_refused(client: Client) -> None:
    queue = client.get(ClusterQueue, "vision").to_dict()
    queue["spec"]["resourceGroups"][0]["coveredResources"] = []
    with pytest.raises(ApiError, match=r"coveredResources|denied the request"):
        client.replace(ClusterQueue.from_dict(queue))


def _is_empty(client: Client, tenant: str) -> bool:
    return not list(client.list(Pod, namespace=tenant))
