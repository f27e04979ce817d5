"""A tenant's people with real certificates, trying what is in the tables of attacks."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest
from attack import OTHER, OWN, POD_SECURITY, RIGHTS, Attack, Attacker, manifest, pod
from attacks_by_pods import HOST, NETWORK, QUEUE
from attacks_by_requests import BOUNDS, CLUSTER, OTHERS
from bare_cluster import until
from lightkube import Client
from lightkube.resources.core_v1 import Pod
from sandbox_project import RunningSite

TABLES: Final = {
    "Other people's things": OTHERS,
    "The cluster": CLUSTER,
    "Its own bounds": BOUNDS,
    "The host below a pod": HOST,
    "Queue, scheduler and quota": QUEUE,
    "The network": NETWORK,
}
ATTACKS: Final = tuple(attack for table in TABLES.values() for attack in table)
GPUS_OF_VISION: Final = 16
PRIVILEGED: Final = {"securityContext": {"privileged": True}}
TOO_MANY: Final = {"limits": {"cpu": "1", "nvidia.com/gpu": "25"}}


@pytest.fixture(scope="module")
def member(running: RunningSite) -> Attacker:
    return Attacker(running.state, "ml-team")


@pytest.fixture(scope="module")
def admin(running: RunningSite) -> Attacker:
    return Attacker(running.state, "ml-leads")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title.replace(" ", "-"))
def test_it_is_stopped_by_what_the_table_says(
    attack: Attack, member: Attacker, admin: Attacker
) -> None:
    answer = (admin if attack.admin else member).tries(attack)
    assert answer.status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY}, answer.said
    assert re.search(attack.refusal, answer.said["message"])


def test_what_a_tenant_is_for_is_not_stopped(member: Attacker, admin: Attacker) -> None:
    binding = manifest(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        roleRef={
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "Role",
            "name": "gpu-cluster-member",
        },
        subjects=[{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "new"}],
    )
    bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/ml-team/rolebindings"
    for who, path, body in (
        (member, f"{OWN}/pods", pod()),
        (member, f"{OWN}/configmaps", manifest("v1", "ConfigMap")),
        (admin, bindings, binding),
    ):
        answer = who.tries(Attack("", "POST", path, body=body))
        assert answer.status == HTTPStatus.CREATED, answer.said


@pytest.mark.parametrize(
    ("kind", "template", "refused_with"),
    [
        ("Deployment", {"container": PRIVILEGED}, "violates PodSecurity"),
        ("StatefulSet", {"hostNetwork": True}, "violates PodSecurity"),
        ("Deployment", {"container": {"resources": TOO_MANY}}, "exceeded quota: gpu-cluster"),
    ],
    ids=["privileged", "on-the-host's-network", "too-many-gpus"],
)
def test_a_controller_does_not_make_the_pod_that_its_tenant_may_not(
    member: Attacker, client: Client, kind: str, template: dict[str, Any], refused_with: str
) -> None:
    labels = {"app": "sly"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod(**template)["spec"]},
    }
    path = f"/apis/apps/v1/namespaces/ml-team/{kind.lower()}s"
    body = manifest("apps/v1", kind, spec=spec)
    answer = member.sends("POST", path, body)
    assert answer.status == HTTPStatus.CREATED, answer.said
    try:
        until(lambda: _told(member, refused_with), f"an event that says {refused_with}")
        assert not list(client.list(Pod, namespace="ml-team", labels={"app": "sly"}))
    finally:
        member.sends("DELETE", f"{path}/sly")


def test_a_quota_holds_when_500_pods_come_at_once(running: RunningSite, client: Client) -> None:
    crowd = Attacker(running.state, "vision")
    limits = {"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}}

    def start(number: int) -> int:
        # Nobody schedules it, so that none ends and gives its GPU back while others come.
        one = pod(container={"resources": limits}, schedulerName="nobody")
        one["metadata"] = {"name": f"crowd-{number}", "labels": {"app": "crowd"}}
        return crowd.sends("POST", f"{OTHER}/pods", one).status

    try:
        with ThreadPoolExecutor(max_workers=16) as workers:
            codes = list(workers.map(start, range(500)))
        assert codes.count(HTTPStatus.CREATED) == GPUS_OF_VISION
        assert codes.count(HTTPStatus.FORBIDDEN) == 500 - GPUS_OF_VISION
    finally:
        for one in client.list(Pod, namespace="vision", labels={"app": "crowd"}):
            assert one.metadata is not None
            client.delete(Pod, str(one.metadata.name), namespace="vision", grace_period=0)


def test_the_documented_table_is_the_one_that_was_tried(root: Path) -> None:
    page = (root / "docs" / "hostile-tenant.md").read_text(encoding="utf-8")
    for title, table in TABLES.items():
        assert f"## {title}\n" in page
        for attack in table:
            assert f"| {attack.title} | {_stop(attack)} |\n" in page
    assert page.count("\n| ") - 2 * len(TABLES) <= len(ATTACKS) + 10


def _stop(attack: Attack) -> str:
    if attack.stopped_by in {RIGHTS, POD_SECURITY}:
        return attack.stopped_by
    return f"`{attack.stopped_by.removeprefix('exceeded quota: ')}`"


def _told(member: Attacker, words: str) -> bool:
    events = member.sends("GET", f"{OWN}/events").said["items"]
    return any(words in event["message"] for event in events)
