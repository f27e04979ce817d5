from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, made_site, tenant

from pulumi_gpu_cluster.tenancy.shares import ceilings

CEPH: dict[str, Any] = {"nodes": "st[1-3]", "devices": ["/dev/disk/by-id/nvme-a"], "objects": {}}
OF_CLASS = "storageclass.storage.k8s.io/requests.storage"


def limits(quota: object) -> dict[str, str]:
    """The tenant's hard limits that are about storage."""
    given = {} if quota is None else {"storage": quota}
    site = made_site(
        node_pools=[gpu_pool(), cpu_pool("keep", nodes="st[1-3]")],
        storage={"ceph": CEPH, "classes": ["standard"]},
        tenants=[tenant(quota={"train": {"gpu": 1}, **given})],
    )
    hard = ceilings(site, site.tenants[0])
    return {key: text for key, text in hard.items() if "storage" in key or "claims" in key}


def test_a_tenant_whose_quota_gives_no_storage_can_claim_none() -> None:
    assert limits(None) == {"requests.storage": "0", "persistentvolumeclaims": "0"}


def test_an_amount_may_be_claimed_of_any_class() -> None:
    assert limits("10Ti") == {"requests.storage": "10Ti", "persistentvolumeclaims": "100"}


def test_classes_that_a_quota_does_not_list_are_zero_and_the_total_is_the_sum() -> None:
    assert limits({"ceph-block": "2Ti", "ceph-filesystem": "10Ti", "claims": 20}) == {
        "requests.storage": "12Ti",
        "persistentvolumeclaims": "20",
        f"ceph-block.{OF_CLASS}": "2Ti",
        f"ceph-filesystem.{OF_CLASS}": "10Ti",
        f"standard.{OF_CLASS}": "0",
    }


def test_with_a_total_only_the_listed_classes_have_a_limit_of_their_own() -> None:
    assert limits({"total": "10Ti", "ceph-block": "2Ti"}) == {
        "requests.storage": "10Ti",
        "persistentvolumeclaims": "100",
        f"ceph-block.{OF_CLASS}": "2Ti",
    }


@pytest.mark.parametrize("quota", [0, {"total": 0}, {"ceph-block": 0}])
def test_no_storage_means_no_claims(quota: object) -> None:
    given = limits(quota)
    assert (given["requests.storage"], given["persistentvolumeclaims"]) == ("0", "0")
