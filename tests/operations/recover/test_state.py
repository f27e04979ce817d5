"""What becomes of a killed run's state: each case is a small state before and after."""

from __future__ import annotations

import copy
import json
from typing import Any

from pulumi_gpu_cluster.operations.recover.state import (
    Document,
    never_read,
    pending,
    plain_text,
    resources,
    settle,
    with_field_managers,
)

PROVIDER = "urn:pulumi:s::p::pulumi:providers:kubernetes::k::1"
SECRET = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    "plaintext": '"hush"',
}


READ: dict[str, Any] = {"metadata": {"uid": "1"}}


def resource(kind: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "urn": f"urn:pulumi:s::p::{kind}::{name}",
        "custom": True,
        "type": kind,
        "inputs": inputs,
        "provider": PROVIDER,
        "dependencies": ["urn:pulumi:s::p::kubernetes:core/v1:Namespace::home"],
    }


def kubernetes(token: str, name: str, namespace: str | None = "home") -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return resource(f"kubernetes:{token}", name, {"metadata": {"name": f"{name}-1", **place}})


HOME = kubernetes("core/v1:Namespace", "home", None) | {"id": "home-1", "outputs": READ}
RELEASE = resource(
    "kubernetes:helm.sh/v3:Release",
    "kueue",
    {"name": "kueue", "namespace": "home", "chart": "./kueue", "values": {"password": SECRET}},
)


def state(*operations: tuple[str, dict[str, Any]], recorded: tuple[Any, ...] = ()) -> Document:
    return {
        "version": 3,
        "deployment": {
            "manifest": {},
            "resources": [HOME, *recorded],
            "pending_operations": [{"type": kind, "resource": what} for kind, what in operations],
        },
    }


def test_an_object_that_was_being_created_gets_an_entry_under_the_id_that_it_would_have() -> None:
    config, role = (
        kubernetes("core/v1:ConfigMap", "c"),
        kubernetes("rbac/v1:ClusterRole", "r", None),
    )
    settled = settle(state(("creating", config), ("creating", role)), ())
    assert settled.adopted == (config["urn"], role["urn"])
    assert resources(settled.document)[1:] == [
        {**config, "id": "home/c-1", "outputs": {}},
        {**role, "id": "r-1", "outputs": {}},
    ]
    assert pending(settled.document) == []
    assert never_read(settled.document) == settled.adopted


def test_what_can_be_made_twice_is_left_to_the_next_run() -> None:
    patch = kubernetes("core/v1:NodePatch", "n", None)
    command = resource("command:local:Command", "taints", {})
    provider = resource("pulumi:providers:kubernetes", "k", {})
    settled = settle(state(*(("creating", one) for one in (patch, command, provider))), ())
    assert settled.made_again == (patch["urn"], command["urn"], provider["urn"])
    assert resources(settled.document) == [HOME]


def test_a_release_is_adopted_only_where_it_stands_and_its_secrets_stay_secret() -> None:
    document = state(("creating", RELEASE))
    assert settle(document, ()).made_again == (RELEASE["urn"],)
    (entry,) = resources(settle(document, {RELEASE["urn"]}).document)[1:]
    assert entry["id"] == "home/kueue"
    kept = entry["outputs"].pop("__inputs")
    assert entry["outputs"] == RELEASE["inputs"]
    assert kept.keys() == SECRET.keys(), "what the release was given is kept as one secret"
    assert json.loads(kept["plaintext"]) == RELEASE["inputs"]


def test_updates_and_deletions_are_read_and_reads_of_nothing_are_not() -> None:
    config = kubernetes("core/v1:ConfigMap", "c") | {"id": "home/c-1", "outputs": READ}
    gone = kubernetes("core/v1:Service", "gone")
    document = state(
        ("updating", config), ("deleting", HOME), ("reading", gone), recorded=(config,)
    )
    settled = settle(document, ())
    assert settled.to_read == (config["urn"], HOME["urn"])
    assert (settled.adopted, resources(settled.document)) == ((), [HOME, config])


def test_a_replacement_that_was_being_created_is_named_because_nobody_can_find_it_again() -> None:
    old = kubernetes("core/v1:Service", "s") | {"id": "home/s-1", "outputs": READ}
    new = kubernetes("core/v1:Service", "s")
    new["inputs"]["metadata"]["name"] = "s-2"
    settled = settle(state(("creating", new), recorded=(old,)), ())
    assert settled.orphans == ("kubernetes:core/v1:Service home/s-2",)
    assert resources(settled.document) == [HOME, old]


def test_a_kind_that_nothing_here_can_judge_is_no_ones_to_forget() -> None:
    bucket = resource("aws:s3/bucket:Bucket", "b", {})
    assert settle(state(("creating", bucket)), ()).strangers == (bucket["urn"],)


def test_the_state_it_was_given_is_not_touched() -> None:
    document = state(("creating", kubernetes("core/v1:ConfigMap", "c")))
    before = copy.deepcopy(document)
    settle(document, ())
    assert document == before


def test_a_stack_that_never_ran_has_nothing_to_settle() -> None:
    for empty in ({"version": 3, "deployment": None}, {"version": 3}):
        settled = settle(empty, ())
        assert (settled.adopted, settled.to_read, never_read(settled.document)) == ((), (), ())


def adopted(ours: str, *managers: str, operation: str = "Apply") -> Document:
    one = kubernetes("core/v1:ConfigMap", "c")
    fields: list[dict[str, str]] = [{"manager": name, "operation": operation} for name in managers]
    one |= {
        "id": "home/c-1",
        "outputs": {"__fieldManager": ours, "metadata": {"managedFields": fields}},
    }
    return state(recorded=(one,))


def test_an_adopted_object_keeps_the_field_manager_it_was_made_with() -> None:
    document, mended = with_field_managers(
        adopted("pulumi-kubernetes-new", "pulumi-kubernetes-old", "kube-controller-manager")
    )
    assert mended == ("urn:pulumi:s::p::kubernetes:core/v1:ConfigMap::c",)
    assert resources(document)[1]["outputs"]["__fieldManager"] == "pulumi-kubernetes-old"
    assert with_field_managers(document)[1] == ()


def test_a_field_manager_is_not_guessed() -> None:
    for unsure in (
        adopted("pulumi-kubernetes-new", "pulumi-kubernetes-a", "pulumi-kubernetes-b"),
        adopted("pulumi-kubernetes-new", "kubectl"),
        adopted("pulumi-kubernetes-new", "pulumi-kubernetes-old", operation="Update"),
        adopted("gpu-cluster-node-pool", "pulumi-kubernetes-old"),
        adopted("pulumi-kubernetes-new", "pulumi-kubernetes-new", "pulumi-kubernetes-old"),
    ):
        assert with_field_managers(unsure) == (unsure, ())


def test_a_text_is_read_whether_it_is_secret_or_not() -> None:
    assert [plain_text(one) for one in (SECRET, "plain", None, {"ciphertext": "v1:x"})] == [
        "hush",
        "plain",
        None,
        None,
    ]
