"""Rules of tenants, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import judged, places, tenant

QUOTA = {"train": {"gpu": 1}}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"group": "oidc:ml-team"}, []),
        ({"group": "system:authenticated"}, [("group-too-wide", "site.tenants[0].group")]),
        ({"viewers": "system:authenticated"}, [("group-too-wide", "site.tenants[0].viewers")]),
        ({"admins": "system:masters"}, [("group-too-wide", "site.tenants[0].admins")]),
        (
            {"group": "system:serviceaccounts:other"},
            [("group-too-wide", "site.tenants[0].group")],
        ),
        ({"group": "system:kube-scheduler"}, [("group-too-wide", "site.tenants[0].group")]),
        ({"group": "kubeadm:cluster-admins"}, [("group-too-wide", "site.tenants[0].group")]),
        ({"group": "Domain Users"}, []),
        ({"group": "*"}, [("group-malformed", "site.tenants[0].group")]),
        ({"group": " ml-team"}, [("group-malformed", "site.tenants[0].group")]),
        ({"viewers": "ml-team\n"}, [("group-malformed", "site.tenants[0].viewers")]),
        ({"admins": "ml\u200bteam"}, [("group-malformed", "site.tenants[0].admins")]),
        ({"state": "leaving"}, []),
        ({"state": "removed", "confirm": "ml-team"}, []),
        ({"state": "removed"}, [("tenant-removed-unconfirmed", "site.tenants[0].confirm")]),
        (
            {"state": "removed", "confirm": "ml-teams"},
            [("tenant-removed-unconfirmed", "site.tenants[0].confirm")],
        ),
        ({"confirm": "ml-team"}, [("tenant-removed-unconfirmed", "site.tenants[0].confirm")]),
    ],
)
def test_a_tenant_with(changes: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert places(judged(tenants=[tenant(quota=QUOTA, **changes)])) == found


def test_a_tenant_without_any_quota_can_run_nothing() -> None:
    bare = {"name": "guests", "group": "guests"}
    assert places(judged(tenants=[bare])) == [("quota-empty", "site.tenants[0].quota")]


@pytest.mark.parametrize(
    "quota",
    [
        {"cpu": 32, "memory": "64Gi"},
        {"train": {}},
        {"train": {"gpu": 0}},
        {"train": {"gpu": 8, "cpu": 0}},
        {"train": {"gpu": 8, "cpu": 0}, "general": {"cpu": 8, "memory": 0}},
    ],
)
def test_a_quota_without_cpu_or_memory_in_any_pool_can_run_nothing(quota: dict[str, Any]) -> None:
    assert places(judged(tenants=[{**tenant(), "quota": quota}])) == [
        ("quota-empty", "site.tenants[0].quota")
    ]


def test_admins_that_are_another_tenants_members_may_use_both_quotas() -> None:
    tenants = [
        tenant("one", QUOTA, admins="leads"),
        tenant("two", QUOTA, admins="leads"),
        tenant("three", QUOTA, admins="one"),
        tenant("four", QUOTA, admins="four"),
    ]
    assert places(judged(tenants=tenants)) == [("group-shared", "site.tenants[2].admins")]


@pytest.mark.parametrize(
    ("kind", "length", "found"),
    [
        ("volcano", 57, []),
        ("volcano", 58, [("queue-name-too-long", "site.tenants[0].quota.train")]),
        ("kueue", 63, []),
    ],
)
def test_a_queue_of_volcano_is_a_label_of_its_pods(
    kind: str, length: int, found: list[tuple[str, str]]
) -> None:
    long = tenant("t" * length, QUOTA)
    assert places(judged(scheduler={"kind": kind}, tenants=[long])) == found


def test_the_group_of_a_removed_tenant_is_free_again() -> None:
    tenants = [
        tenant("old", QUOTA, group="team", state="removed", confirm="old"),
        tenant("new", QUOTA, group="team"),
    ]
    assert judged(tenants=tenants) == ()
