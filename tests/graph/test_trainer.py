"""JobSet and Kubeflow Trainer: once each, in order, with a runtime to train with."""

from __future__ import annotations

from typing import Any

import pytest
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster

RELEASE = "kubernetes:helm.sh/v3:Release"
RUNTIME = "kubernetes:trainer.kubeflow.org/v1alpha1:ClusterTrainingRuntime"
KINDS = ["kueue", "volcano"]


def _graph(kind: str, **scheduler: Any) -> Graph:
    changes: Changes = {("scheduler",): {"kind": kind, **scheduler}}
    return record(lambda: GpuCluster("c", site(changes)))


def _released(graph: Graph) -> set[str]:
    return {one.props["name"] for one in graph.of(RELEASE)}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_them_is_there_unless_the_site_asks(kind: str) -> None:
    assert not _released(_graph(kind)) & {"jobset", "kubeflow-trainer"}


def test_jobset_comes_alone_where_only_it_is_asked_for() -> None:
    more = _released(_graph("kueue", jobset=True)) - _released(_graph("kueue"))
    assert more == {"jobset"}


def test_trainer_brings_jobset_once_and_not_by_its_own_chart() -> None:
    graph = _graph("kueue", trainer=True)
    assert _released(graph) >= {"jobset", "kubeflow-trainer"}
    trainer = graph.named("c-trainer-release", RELEASE)
    assert trainer.props["values"]["jobset"] == {"install": False}
    assert trainer.props["values"]["crds"] == {"enabled": True}
    assert trainer.props["postrender"] == "gpu-cluster-keep-crds"


@pytest.mark.parametrize("kind", KINDS)
def test_each_comes_after_what_it_builds_on(kind: str) -> None:
    graph = _graph(kind, trainer=True)
    jobset = graph.named("c-jobset-release", RELEASE)
    trainer = graph.named("c-trainer-release", RELEASE)
    (runtime,) = graph.of(RUNTIME)
    assert graph.waits_for(trainer, jobset)
    assert graph.waits_for(runtime, trainer)
    assert graph.waits_for(graph.named(f"c-{kind}-release", RELEASE), trainer), (
        "a scheduler that looks which kinds of jobs there are has to find them"
    )


def test_a_train_job_can_name_the_runtime_that_the_projects_sdk_expects() -> None:
    (runtime,) = _graph("kueue", trainer=True).of(RUNTIME)
    assert runtime.props["metadata"]["name"] == "torch-distributed"
    assert "podGroupPolicy" not in runtime.props["spec"], "Kueue admits the whole TrainJob itself"


def test_with_volcano_the_pods_of_a_train_job_are_one_gang_that_volcano_places() -> None:
    (runtime,) = _graph("volcano", trainer=True).of(RUNTIME)
    spec = runtime.props["spec"]
    assert spec["podGroupPolicy"] == {"volcano": {}}
    (job,) = spec["template"]["spec"]["replicatedJobs"]
    assert job["template"]["spec"]["template"]["spec"]["schedulerName"] == "volcano"


@pytest.mark.parametrize("kind", KINDS)
def test_members_may_submit_such_jobs_and_viewers_may_look(kind: str) -> None:
    graph = _graph(kind, trainer=True)
    role = "kubernetes:rbac.authorization.k8s.io/v1:Role"
    for name, writes in (("c-ml-member", True), ("c-ml-viewer", False)):
        rules = graph.named(name, role).props["rules"]
        verbs = {one: rule["verbs"] for rule in rules for one in rule["resources"]}
        for resource in ("jobsets", "trainjobs", "trainingruntimes"):
            assert ("create" in verbs[resource]) is writes, resource
