from __future__ import annotations

import base64
import json
from typing import Any

import pulumi
from component_cases import provider_options
from graph_sites import STORAGE, Changes, site
from recorded_graph import Graph, plain_texts, record

from pulumi_gpu_cluster import BeegfsStorage

SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
STATEFUL_SET = "kubernetes:apps/v1:StatefulSet"
FIRST = ("storage", "beegfs", "file_systems", 0)


def _graph(changes: Changes | None = None, **keywords: Any) -> Graph:
    one = site({("storage",): STORAGE, **(changes or {})})
    assert one.storage.beegfs is not None
    args = one.storage.beegfs
    return record(
        lambda: BeegfsStorage(
            "fs", args, pools=one.node_pools, opts=provider_options("fs"), **keywords
        )
    )


def _pods(graph: Graph, name: str, kind: str) -> Any:
    return graph.named(name, kind).props["spec"]["template"]["spec"]


def _auth(graph: Graph) -> Any:
    given = graph.named("fs-auth", SECRET).props["stringData"]
    # The SDK marks a Secret's content as secret as a whole.
    return json.loads(given["value"]["csi-beegfs-connauth.yaml"])


def test_the_shared_secret_goes_by_the_drivers_own_file_in_base64_and_nowhere_else() -> None:
    graph = _graph()
    encoded = base64.b64encode(b"planted-auth").decode()
    assert _auth(graph) == [
        {"sysMgmtdHost": "beegfs.lab.example", "connAuth": encoded, "encoding": "base64"}
    ]
    for one in graph.resources:
        for text in plain_texts(one.wire):
            assert "planted-auth" not in text, one.urn
            assert encoded not in text, one.urn


def test_a_shared_secret_that_is_no_text_is_given_in_base64() -> None:
    changes: Changes = {(*FIRST, "auth_encoding"): "base64", (*FIRST, "auth"): "AP8=\n"}
    assert _auth(_graph(changes))[0]["connAuth"] == "AP8="


def test_a_shared_secret_may_come_from_another_resource() -> None:
    graph = _graph(auth={"scratch": pulumi.Output.from_input("made-elsewhere")})
    assert base64.b64decode(_auth(graph)[0]["connAuth"]) == b"made-elsewhere"
    assert "made-elsewhere" not in list(plain_texts(graph.named("fs-auth", SECRET).wire))


def test_pods_name_settings_whose_names_change_with_their_content() -> None:
    graph = _graph()
    for name, kind in (("fs-config", "kubernetes:core/v1:ConfigMap"), ("fs-auth", SECRET)):
        assert "name" not in graph.named(name, kind).props["metadata"], (
            "the driver reads them once: only a new name rolls its pods out anew"
        )


def test_no_part_of_the_driver_sees_a_connauth_file_of_the_host() -> None:
    graph = _graph()
    for name, kind in (("fs-controller", STATEFUL_SET), ("fs-node", DAEMON_SET)):
        containers = {one["name"]: one for one in _pods(graph, name, kind)["containers"]}
        driver = containers["beegfs"]
        assert "--connauth-path=/csi/connauth/csi-beegfs-connauth.yaml" in driver["args"]
        assert "--tlscerts-path=/csi/tlscerts/csi-beegfs-tlscerts.yaml" in driver["args"]
        root = next(one for one in driver["volumeMounts"] if one["mountPath"] == "/host")
        assert root["readOnly"] is True


def test_the_node_plugin_runs_on_every_node_of_the_pools_past_all_taints() -> None:
    taints = [{"key": "team", "value": "ml"}]
    pods = _pods(_graph({("node_pools", 1, "taints"): taints}), "fs-node", DAEMON_SET)
    required = pods["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert [one["matchExpressions"][0]["values"] for one in required["nodeSelectorTerms"]] == [
        ["train"],
        ["serve"],
        ["general"],
    ]
    wanted = {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}
    assert wanted in pods["tolerations"]


def test_the_driver_stays_off_pools_without_the_client_and_its_controller_off_gpus() -> None:
    graph = _graph({("storage", "beegfs", "pools"): ["train", "general"]})
    by_kind = {
        kind: [
            one["matchExpressions"][0]["values"][0]
            for one in _pods(graph, name, kind)["affinity"]["nodeAffinity"][
                "requiredDuringSchedulingIgnoredDuringExecution"
            ]["nodeSelectorTerms"]
        ]
        for name, kind in (("fs-node", DAEMON_SET), ("fs-controller", STATEFUL_SET))
    }
    assert by_kind == {DAEMON_SET: ["train", "general"], STATEFUL_SET: ["general"]}


def test_only_the_controller_may_do_anything_in_the_cluster() -> None:
    graph = _graph()
    assert _pods(graph, "fs-node", DAEMON_SET)["automountServiceAccountToken"] is False
    (binding,) = graph.of("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    assert [one["name"] for one in binding.props["subjects"]] == ["csi-beegfs-controller"]
    (role,) = graph.of("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    touched = {resource for rule in role.props["rules"] for resource in rule["resources"]}
    assert "secrets" not in touched
    assert not any("*" in rule["verbs"] for rule in role.props["rules"])


def test_new_volumes_are_closed_to_those_who_see_the_file_system() -> None:
    changes: Changes = {(*FIRST, "group_id"): 4000, (*FIRST, "stripe"): {"targets": 4}}
    made = _graph(changes).named("fs-scratch-class", CLASS)
    assert made.props["parameters"] == {
        "sysMgmtdHost": "beegfs.lab.example",
        "volDirBasePath": "/k8s/lab",
        "permissions/uid": "0",
        "permissions/gid": "4000",
        "permissions/mode": "2770",
        "stripePattern/numTargets": "4",
    }
    assert made.props["reclaimPolicy"] == "Retain"


def test_file_systems_of_one_management_service_are_told_to_the_driver_once() -> None:
    one = STORAGE["beegfs"]["file_systems"][0]
    both = [one, {**one, "name": "archive", "path": "/archive"}]
    graph = _graph({("storage", "beegfs", "file_systems"): both})
    assert len(_auth(graph)) == 1
    assert len(graph.of(CLASS)) == 2


def test_classes_wait_for_the_driver() -> None:
    graph = _graph()
    made = graph.named("fs-scratch-class", CLASS)
    assert graph.waits_for(made, graph.named("fs-node", DAEMON_SET))
    assert graph.waits_for(made, graph.named("fs-controller", STATEFUL_SET))
