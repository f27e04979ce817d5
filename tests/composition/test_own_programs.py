"""Parts of this package in programs of other people's, without a site file around them."""

from __future__ import annotations

import inspect
from itertools import pairwise

import own_program
import pulumi
import pytest
from component_cases import MAKERS
from recorded_graph import Graph, plain_texts, record

import pulumi_gpu_cluster

QUOTA = "kubernetes:core/v1:ResourceQuota"
COMMAND = "command:local:Command"


@pytest.fixture(scope="module")
def graph() -> Graph:
    return record(own_program.main)


@pytest.mark.parametrize("token", sorted(MAKERS))
def test_a_component_is_imported_by_its_name_alone(token: str) -> None:
    public = getattr(pulumi_gpu_cluster, token.rpartition(":")[2], None)
    assert inspect.isclass(public), "add it to __init__.py"
    assert issubclass(public, pulumi.ComponentResource)


def test_parts_come_without_the_rest_of_a_cluster(graph: Graph) -> None:
    made = {one.type for one in graph.resources if one.type.startswith("gpu-cluster:")}
    assert made == {
        "gpu-cluster:node-pools:NodePool",
        "gpu-cluster:scheduling:JobSet",
        "gpu-cluster:scheduling:Kueue",
        "gpu-cluster:scheduling:KueueQueue",
        "gpu-cluster:scheduling:Trainer",
        "gpu-cluster:tenancy:Tenant",
    }


def test_every_object_goes_to_the_cluster_that_the_program_named(graph: Graph) -> None:
    for one in graph.resources:
        if one.custom and one.parent and one.type.startswith("kubernetes:"):
            assert one.provider.endswith("::theirs"), one.urn


def test_a_limit_that_another_resource_gives_arrives_in_the_quota(graph: Graph) -> None:
    hard = graph.named("ml-quota", QUOTA).props["spec"]["hard"]
    assert hard == {"requests.nvidia.com/gpu": "8", "pods": "50"}


def test_a_kubeconfig_that_another_resource_gives_stays_a_secret(graph: Graph) -> None:
    commands = graph.of(COMMAND)
    assert len(commands) == 2, "one for the taints of each node"
    for one in commands:
        assert not [text for text in plain_texts(dict(one.wire)) if "kind: Config" in text]


def test_what_was_said_to_come_first_comes_first(graph: Graph) -> None:
    release = "kubernetes:helm.sh/v3:Release"
    queue = graph.named("ml-queue-cluster-queue", "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue")
    order = [*(graph.named(f"{one}-release", release) for one in ("jobset", "trainer", "kueue"))]
    for earlier, later in pairwise([*order, queue]):
        assert graph.waits_for(later, earlier), f"{later.name} after {earlier.name}"
