from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, places, tenant
from pydantic import SecretStr

CEPH = {"nodes": "st[1-3]", "devices": ["/dev/disk/by-id/nvme-a"]}
POOLS = [gpu_pool(), cpu_pool("keep", nodes="st[1-3]")]
BEEGFS = {
    "file_systems": [
        {
            "name": "scratch",
            "management": "beegfs",
            "path": "/k8s",
            "auth": "a shared secret",
            "certificate": "-----BEGIN CERTIFICATE-----\n",
        }
    ]
}


def found(
    *quotas: object, ceph: dict[str, Any] | None = None, **storage: object
) -> list[tuple[str, str]]:
    section = {"ceph": {**CEPH, **(ceph or {})}, **storage}
    tenants = [
        tenant(f"team-{index}", quota={"train": {"gpu": 1}, "storage": quota})
        for index, quota in enumerate(quotas)
    ]
    return places(judged(node_pools=POOLS, storage=section, tenants=tenants))


def where(index: int, key: str = "") -> str:
    return f"site.tenants[{index}].quota.storage{key}"


def test_a_quota_names_classes_that_are_made_here_or_that_the_cluster_has() -> None:
    assert found({"ceph-block": "2Ti"}, {"standard": "1Ti"}, classes=["standard"]) == []
    assert found({"ceph-blok": "2Ti"}, {"standard": "1Ti"}) == [
        ("quota-unknown-class", where(0, ".ceph-blok")),
        ("quota-unknown-class", where(1, ".standard")),
    ]


def test_a_class_that_ceph_no_longer_offers_is_unknown() -> None:
    assert found({"ceph-block": "2Ti"}, ceph={"block": {"enabled": False}}) == [
        ("quota-unknown-class", where(0, ".ceph-block"))
    ]


def test_the_class_of_buckets_is_none_for_claims() -> None:
    assert found({"ceph-bucket": "2Ti"}, ceph={"objects": {}}) == [
        ("quota-unknown-class", where(0, ".ceph-bucket"))
    ]


def test_a_class_gives_no_more_than_the_total() -> None:
    assert found({"total": "2Ti", "ceph-block": "2Ti"}) == []
    assert found({"total": "1Ti", "ceph-block": "2Ti"}) == [
        ("quota-class-over-total", where(0, ".ceph-block"))
    ]


@pytest.mark.parametrize(
    ("quota", "key"),
    [(500, ""), ({"total": "500"}, ""), ({"ceph-block": 2}, ".ceph-block")],
)
def test_storage_without_a_unit_counts_bytes_and_is_told(quota: object, key: str) -> None:
    assert found(quota) == [("quota-storage-without-unit", where(0, key))]


@pytest.mark.parametrize(
    ("quotas", "refused"),
    [
        # Three copies of 28Ti fit into 0.85 of 100Ti, three of 29Ti do not.
        (({"ceph-block": "28Ti"},), False),
        (({"ceph-block": "29Ti"},), True),
        (({"ceph-block": "14Ti"}, {"ceph-filesystem": "15Ti"}), True),
        # What has no class may all be claimed of the dearest one.
        (("28Ti",), False),
        (("29Ti",), True),
    ],
)
def test_quotas_fit_on_the_disks_with_all_copies_before_ceph_is_nearly_full(
    quotas: tuple[object, ...], *, refused: bool
) -> None:
    wanted = [("quota-storage-over-capacity", "site.storage.ceph.capacity")] if refused else []
    assert found(*quotas, ceph={"capacity": "100Ti"}) == wanted
    assert found(*quotas) == [], "without a capacity there is nothing to hold them against"


def test_pieces_take_less_of_the_disks_than_copies() -> None:
    pieces = {"capacity": "100Ti", "filesystem": {"erasure": "2+1"}}
    assert found({"ceph-filesystem": "56Ti"}, ceph=pieces) == []
    assert found({"ceph-filesystem": "57Ti"}, ceph=pieces) == [
        ("quota-storage-over-capacity", "site.storage.ceph.capacity")
    ]


def test_a_limit_that_beegfs_does_not_hold_is_told() -> None:
    assert found({"scratch": "1Ti"}, beegfs=BEEGFS) == [
        ("quota-not-held-by-beegfs", where(0, ".scratch"))
    ]
    assert found({"scratch": 0, "ceph-block": "1Ti"}, beegfs=BEEGFS) == []


@pytest.mark.parametrize(
    ("quota", "refused"),
    [
        (None, True),
        ("19Gi", True),
        ("20Gi", False),
        ({"ceph-block": "1Ti"}, True),
        ({"ceph-filesystem": "20Gi"}, False),
        ({"total": "1Ti", "ceph-filesystem": "10Gi"}, True),
        ({"total": "1Ti", "ceph-block": "10Gi"}, False),
    ],
)
def test_a_tenant_with_notebooks_has_room_for_homes(quota: object, *, refused: bool) -> None:
    given = {} if quota is None else {"storage": quota}
    site: dict[str, Any] = {
        "node_pools": POOLS,
        "storage": {"ceph": CEPH, "default_class": "ceph-filesystem"},
        "workloads": {"jupyterhub": _hub()},
        "tenants": [tenant("team", quota={"train": {"gpu": 1}, **given})],
    }
    wanted = [("quota-without-homes", where(0))] if refused else []
    assert [one for one in places(judged(**site)) if one[0].startswith("quota")] == wanted


def _hub() -> dict[str, Any]:
    return {
        "domain": "jupyter.lab.example",
        "image": "registry.lab.example/notebook:1",
        "oidc": {
            "authorize_url": "https://sso.lab.example/auth",
            "token_url": "https://sso.lab.example/token",
            "userinfo_url": "https://sso.lab.example/userinfo",
            "client_id": "hub",
        },
        "profiles": [{"name": "One GPU", "pool": "train", "device": "gpu"}],
    }


def test_two_classes_never_share_a_name() -> None:
    assert found(classes=["standard", "ceph-block"]) == [
        ("storage-class-twice", "site.storage.classes[1]")
    ]


@pytest.mark.parametrize("name", ["standard", "ceph-bucket", "none"])
def test_the_default_class_is_one_for_volumes_that_is_made_here(name: str) -> None:
    assert found(ceph={"objects": {}}, classes=["standard"], default_class=name) == [
        ("storage-default-class", "site.storage.default_class")
    ]
    assert found(default_class="ceph-block") == []


def test_a_pool_cannot_be_called_what_is_a_key_of_every_quota() -> None:
    pools = [gpu_pool(), cpu_pool("storage")]
    assert places(judged(node_pools=pools)) == [("name-reserved", "site.node_pools[1].name")]


def test_a_volume_of_a_class_that_nobody_makes_or_lists_is_told() -> None:
    volume = {"size": "200Gi", "storage_class": "local-ssd"}
    receivers = [{"name": "oncall", "webhook": {"url": SecretStr("https://chat.lab.example/x")}}]
    monitoring = {
        "volume": volume,
        "receivers": receivers,
        "grafana": {"admin_password": SecretStr("JbG7vB1Sg5nQw2RtYu8i")},
    }
    path = "site.monitoring.volume.storage_class"
    assert places(judged(monitoring=monitoring)) == [("storage-class-unlisted", path)]
    assert judged(monitoring=monitoring, storage={"classes": ["local-ssd"]}) == ()
    (close,) = judged(monitoring=monitoring, storage={"classes": ["local-ssb"]})
    assert close.fix.startswith("did you mean local-ssb?")
    plain = {**monitoring, "volume": "200Gi"}
    assert judged(monitoring=plain) == (), "the cluster's default class is its own"
