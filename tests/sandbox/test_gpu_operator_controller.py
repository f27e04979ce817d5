"""The GPU Operator's real controller takes what we emit, on simulated nodes.

The tests run in the order written, on one site: some change it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

import pytest
from bare_cluster import DRIVER, POLICY, BareCluster, Json
from lightkube import ApiError, Client, generic_resource
from lightkube.resources.apps_v1 import DaemonSet
from lightkube.resources.core_v1 import Node, Pod
from lightkube.types import PatchType
from plugin_process import eventually
from sandbox_project import Project, RunningSite, assert_nothing_changed, bring_up, labels_of
from seen_upgrades import upgrade_state, watched_upgrades

from gpu_cluster_sandbox.nodes import fail, mend
from gpu_cluster_sandbox.stages import operator_stages

NAMESPACE: Final = "gpu-operator"
TRAIN: Final = ("gpu01", "gpu02", "gpu03")
SERVE: Final = ("mig01",)
OWN: Final = ("own01",)
PATIENCE: Final = 60.0
DONE: Final = "upgrade-done"
H100: Final = {"model": "H100-SXM5-80GB", "count": 8}
A100: Final = {"model": "A100-SXM4-80GB", "count": 8}
TAINTS: Final = [{"key": "nvidia.com/gpu", "value": "present"}, {"key": "team", "value": "ml"}]
HOST: Final = {"source": "host", "version": "580.173.02"}


def _pool(name: str, nodes: str, **more: object) -> Json:
    return {"name": name, "nodes": nodes, "cpus": 64, "memory": "250Gi", **more}


def _document(sandbox_site: Mapping[str, Any], driver: str) -> Json:
    document: Json = json.loads(json.dumps(sandbox_site))
    site = document["config"]["gpu-cluster:site"]
    site["node_pools"] = [
        _pool("train", "gpu[01-03]", gpu=H100, driver=driver, taints=TAINTS),
        _pool("serve", "mig01", gpu=A100, driver="595.91.07", mig="all-3g.40gb", taints=TAINTS),
        _pool("own", "own01", gpu=H100, driver=HOST, taints=TAINTS),
        _pool("general", "cpu1"),
    ]
    quota = {"train": {"gpu": 8}, "serve": {"mig-3g.40gb": 8}}
    site["tenants"] = [{"name": "ml", "group": "ml", "weight": 1, "quota": quota}]
    return document


@pytest.fixture(scope="module")
def site(project: Project, sandbox_site: dict[str, Any]) -> Iterator[RunningSite]:
    project.write_site(_document(sandbox_site, "580.173.02"), "controlled")
    yield bring_up(project, "controlled", "--with", "gpu-operator")
    project.sandbox("stop", "--site", "controlled")


@pytest.fixture
def client(site: RunningSite) -> Client:
    return site.client()


def _daemon_sets(client: Client, name: str) -> list[Json]:
    found: list[Json] = [one.to_dict() for one in client.list(DaemonSet, namespace=NAMESPACE)]
    return [one for one in found if one["metadata"]["name"].startswith(name)]


def _nodes_of(client: Client, name: str) -> set[str]:
    """Where pods of these DaemonSets are."""
    pods = client.list(Pod, namespace=NAMESPACE)
    return {
        pod.spec.nodeName or ""
        for pod in pods
        if pod.spec and pod.metadata and (pod.metadata.name or "").startswith(name)
    }


def _allocatable(client: Client, node: str) -> dict[str, str]:
    status: Any = client.get(Node, node).status
    return {name: amount for name, amount in status.allocatable.items() if "nvidia.com/" in name}


def _repin(client: Client, driver: str, version: str) -> None:
    """Changes a driver's version by hand, past Pulumi and its waves."""
    known: Any = generic_resource
    kind = known.create_global_resource("nvidia.com", "v1alpha1", "NVIDIADriver", "nvidiadrivers")
    client.patch(kind, driver, {"spec": {"version": version}}, patch_type=PatchType.MERGE)


def _ready_again(site: RunningSite) -> bool:
    """Whether all are ready, of an API server that may still open its storage of some kinds."""
    try:
        return _ready(site.client())
    except ApiError as error:
        if error.status.code != HTTPStatus.TOO_MANY_REQUESTS:
            raise
        return False


def _ready(client: Client) -> bool:
    cluster = BareCluster(client)
    objects = [*cluster.all(DRIVER), *cluster.all(POLICY)]
    return all(one.get("status", {}).get("state") == "ready" for one in objects)


def test_the_policy_and_every_driver_object_become_ready(client: Client) -> None:
    assert BareCluster(client).names(DRIVER) == {"train", "serve"}
    assert eventually(lambda: _ready(client), PATIENCE), BareCluster(client).all(POLICY)


def test_the_controller_is_one_of_the_clusters_parts(site: RunningSite) -> None:
    status = site.sandbox("status")
    assert status.code == 0, status.output
    assert "gpu-operator" in status.output
    said = site.sandbox("logs", "gpu-operator", "--lines", "100000").output
    assert "started in namespace gpu-operator" in said
    assert "controllers.ClusterPolicy" in said


def test_no_stage_plays_the_operator_beside_it(client: Client) -> None:
    known: Any = generic_resource
    stage = known.create_global_resource("kwok.x-k8s.io", "v1alpha1", "Stage", "stages")
    names = {one.metadata.name for one in client.list(stage)}
    played = {one["metadata"]["name"] for one in operator_stages("gpu-operator")}
    assert played
    assert not names & played
    assert "node-layout-done" in names, "hardware is still played"


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("nvidia-gpu-driver", {*TRAIN, *SERVE}),
        ("nvidia-container-toolkit", {*TRAIN, *SERVE}),
        ("nvidia-device-plugin-daemonset", {*TRAIN, *SERVE, *OWN}),
        ("nvidia-operator-validator", {*TRAIN, *SERVE, *OWN}),
        ("nvidia-mig-manager", {*TRAIN, *SERVE, *OWN}),
    ],
)
def test_agents_run_where_they_should_and_tolerate_the_pools_taints(
    client: Client, name: str, nodes: set[str]
) -> None:
    assert eventually(lambda: _nodes_of(client, name) == nodes, PATIENCE), _nodes_of(client, name)
    for daemon_set in _daemon_sets(client, name):
        tolerated = {
            one.get("key") for one in daemon_set["spec"]["template"]["spec"]["tolerations"]
        }
        assert {"nvidia.com/gpu", "team", "gpu-cluster.io/unverified"} <= tolerated


def test_each_pool_has_a_driver_of_its_own_with_its_version(client: Client) -> None:
    images = {
        one["metadata"]["ownerReferences"][0]["name"]: one["spec"]["template"]["spec"]
        for one in _daemon_sets(client, "nvidia-gpu-driver")
    }
    versions = {pool: spec["containers"][0]["image"] for pool, spec in images.items()}
    assert versions == {
        "train": "nvcr.io/nvidia/driver:580.173.02-ubuntu24.04",
        "serve": "nvcr.io/nvidia/driver:595.91.07-ubuntu24.04",
    }


def test_nodes_are_labelled_as_what_they_have(client: Client) -> None:
    for node in (*TRAIN, *SERVE):
        labels = labels_of(client, node)
        assert labels["nvidia.com/gpu.present"] == "true"
        assert labels["nvidia.com/gpu.deploy.driver"] == "true"
        assert labels["nvidia.com/gpu.deploy.mig-manager"] == "true"
    for node in OWN:
        labels = labels_of(client, node)
        assert labels["nvidia.com/gpu.present"] == "true"
        assert labels["nvidia.com/gpu.deploy.driver"] == "false"
        assert labels["nvidia.com/gpu.deploy.container-toolkit"] == "false"
        assert labels["nvidia.com/gpu.deploy.device-plugin"] == "true"
    assert not [label for label in labels_of(client, "cpu1") if label.startswith("nvidia.com/")]


def test_a_second_up_changes_nothing_although_the_controller_has_written(
    site: RunningSite,
) -> None:
    assert_nothing_changed(site.sandbox("up"))


def test_a_refresh_shows_no_drift_though_the_controller_writes_to_its_objects(
    site: RunningSite,
) -> None:
    refreshed = site.pulumi("refresh", "--yes", "--expect-no-changes")
    assert refreshed.code == 0, refreshed.output


def test_another_driver_for_one_pool_walks_its_nodes_and_no_others(
    site: RunningSite, client: Client, sandbox_site: dict[str, Any]
) -> None:
    site.project.write_site(_document(sandbox_site, "580.178.04"), site.name)
    with watched_upgrades(client) as seen:
        changed = site.sandbox("up")
        assert changed.code == 0, changed.output
        assert eventually(
            lambda: all(upgrade_state(client, node) == DONE for node in TRAIN), PATIENCE
        ), seen.states
    for node in TRAIN:
        states = seen.states[node]
        assert "upgrade-required" in states, states
        assert states[-1] == DONE
        assert states.index("pod-restart-required") < states.index("validation-required") or (
            "validation-required" not in states
        )
    assert {node: seen.states[node] for node in (*SERVE, *OWN)} == {
        "mig01": [DONE],
        "own01": [""],
    }


def test_a_driver_that_does_not_come_up_is_told_and_goes_on_once_it_is_mended(
    client: Client,
) -> None:
    fail(client, "mig01", "driver")
    _repin(client, "serve", "580.178.04")
    assert eventually(lambda: upgrade_state(client, "mig01") == "upgrade-failed", PATIENCE)
    mend(client, "mig01")
    assert eventually(lambda: upgrade_state(client, "mig01") == DONE, PATIENCE)
    with watched_upgrades(client) as seen:
        _repin(client, "serve", "595.91.07")
        assert eventually(lambda: seen.states["mig01"][1:][-1:] == [DONE], PATIENCE), seen.states


def test_a_layout_that_cannot_be_applied_fails_and_is_applied_once_that_is_mended(
    client: Client,
) -> None:
    def ask(layout: str) -> None:
        client.patch(Node, "mig01", {"metadata": {"labels": {"nvidia.com/mig.config": layout}}})

    def state() -> str:
        return labels_of(client, "mig01").get("nvidia.com/mig.config.state", "")

    before = _allocatable(client, "mig01")
    assert before["nvidia.com/mig-3g.40gb"] == "16"
    fail(client, "mig01", "mig")
    ask("all-1g.10gb")
    assert eventually(lambda: state() == "failed", PATIENCE)
    assert _allocatable(client, "mig01") == before
    mend(client, "mig01")
    assert eventually(
        lambda: _allocatable(client, "mig01").get("nvidia.com/mig-1g.10gb") == "56", PATIENCE
    )
    assert eventually(lambda: state() == "success", PATIENCE)
    ask("all-3g.40gb")
    assert eventually(
        lambda: _allocatable(client, "mig01")["nvidia.com/mig-3g.40gb"] == "16", PATIENCE
    )


def test_a_gpu_that_is_missing_is_offered_by_nobody_until_it_is_back(client: Client) -> None:
    fail(client, "gpu01", "gpu-count")
    assert eventually(lambda: _allocatable(client, "gpu01")["nvidia.com/gpu"] == "7", PATIENCE)
    mend(client, "gpu01")
    assert eventually(lambda: _allocatable(client, "gpu01")["nvidia.com/gpu"] == "8", PATIENCE)


def test_it_goes_on_after_a_stop_without_being_asked_for_again(
    site: RunningSite, client: Client
) -> None:
    assert site.sandbox("stop").code == 0
    started = site.sandbox("start")
    assert started.code == 0, started.output
    assert "gpu-operator" in started.output
    assert eventually(lambda: _ready_again(site), PATIENCE)


def test_the_controller_has_ended_by_itself_never(site: RunningSite) -> None:
    log = (site.state / "logs" / "gpu-operator.log").read_text()
    assert "panic" not in log
    assert "ended with code" not in log
    # The chart's rights let it tell of an event, and not that it came again.
    refused = [line for line in log.splitlines() if "forbidden" in line]
    assert [line for line in refused if 'cannot patch resource \\"events\\"' not in line] == []
    assert log.count("started in namespace") == 2, "once, and once after the stop"
