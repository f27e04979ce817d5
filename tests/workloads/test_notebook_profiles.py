"""What people may run a notebook on, and the findings about it."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, made_site, misshapen, places, tenant
from pydantic import SecretStr

from pulumi_gpu_cluster.secret import missing_secrets
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import Profile, hub_tenants, profiles

GIBI = 2**30
SLICES = gpu_pool("serve", nodes="mig[01-02]", mig="all-1g.10gb", driver="595.91.07")
PATH = "site.workloads.jupyterhub"


def hub(**changes: object) -> dict[str, Any]:
    section: dict[str, Any] = {
        "domain": "jupyter.lab.example",
        "image": "registry.lab.example/notebooks/pytorch:2026.2",
        "oidc": {
            "authorize_url": "https://sso.lab.example/authorize",
            "token_url": "https://sso.lab.example/token",
            "userinfo_url": "https://sso.lab.example/userinfo",
            "client_id": "jupyterhub",
            "client_secret": SecretStr("throw-away"),
        },
        "key": SecretStr("throw-away"),
        **changes,
    }
    return {"jupyterhub": section}


def _choices(*tenants: dict[str, Any], **changes: object) -> list[Profile]:
    pools = [gpu_pool(), SLICES, cpu_pool()]
    one = made_site(node_pools=pools, tenants=list(tenants), workloads=hub(**changes))
    section = one.workloads.jupyterhub
    assert section is not None
    return list(profiles(one, section, one.tenants[0]))


def test_without_a_word_there_is_one_of_each_device_that_the_tenant_has() -> None:
    quota = {"train": {"gpu": 8}, "serve": {"mig-1g.10gb": 7}, "general": {"cpu": 16}}
    found = _choices(tenant(quota=quota))
    assert [(one.title, dict(one.devices)) for one in found] == [
        ("1 H100-SXM5-80GB (train)", {"nvidia.com/gpu": 1}),
        ("1 mig-1g.10gb of H100-SXM5-80GB (serve)", {"nvidia.com/mig-1g.10gb": 1}),
        ("No GPU (general)", {}),
    ]


def test_a_notebook_has_the_cpus_and_memory_that_the_quota_has_beside_its_gpu() -> None:
    (whole,) = _choices(tenant(quota={"train": {"gpu": 8}}))
    assert [whole.cpu, whole.memory] == [24, 225 * GIBI], "an eighth of a node"
    (less,) = _choices(tenant(quota={"train": {"gpu": 8, "cpu": 16, "memory": "80Gi"}}))
    assert [less.cpu, less.memory] == [2, 10 * GIBI], "or else the first notebook takes it all"


def test_what_a_tenant_has_no_quota_of_is_not_offered() -> None:
    nothing = {"train": {"gpu": 0}, "general": {"cpu": 4, "memory": "8Gi"}}
    assert [one.title for one in _choices(tenant(quota=nothing))] == ["No GPU (general)"]


def test_a_quota_in_slurm_is_nothing_to_run_a_notebook_on() -> None:
    pools = [gpu_pool(workload="slurm"), cpu_pool()]
    quota = {"train": {"gpu": 8}, "general": {"cpu": 16, "memory": "64Gi"}}
    stated = [{"name": "Big", "pool": "train", "device": "gpu", "count": 8}]
    one = made_site(node_pools=pools, tenants=[tenant(quota=quota)], workloads=hub())
    section = one.workloads.jupyterhub
    assert section is not None
    (only,) = profiles(one, section, one.tenants[0])
    assert only.pool.name == "general"
    found = judged(node_pools=pools, tenants=[tenant(quota=quota)], workloads=hub(profiles=stated))
    assert ("jupyterhub-profile-unusable", f"{PATH}.profiles[0].pool") in places(found)


def test_stated_profiles_go_to_the_tenants_that_have_room_for_them() -> None:
    stated = [
        {"name": "Big", "pool": "train", "device": "gpu", "count": 8},
        {"name": "Small", "pool": "serve", "device": "mig-1g.10gb", "cpu": 2, "memory": "8Gi"},
    ]
    small = _choices(tenant(quota={"serve": {"mig-1g.10gb": 2}}), profiles=stated)
    assert [[one.title, one.cpu, one.memory] for one in small] == [["Small", 2, 8 * GIBI]]
    four = _choices(tenant(quota={"train": {"gpu": 4}}), profiles=stated)
    assert four == [], "four GPUs of quota never admit a notebook of eight"
    (eight,) = _choices(tenant(quota={"train": {"gpu": 8}}), profiles=stated)
    assert [eight.cpu, eight.memory] == [192, 1800 * GIBI]


def test_a_leaving_tenant_has_no_hub() -> None:
    staying, leaving = tenant("a"), tenant("b", state="leaving")
    one = made_site(tenants=[staying, leaving], workloads=hub())
    assert [found.name for found in hub_tenants(one)] == ["a"]
    only_b = made_site(tenants=[staying, leaving], workloads=hub(tenants=["b"]))
    assert hub_tenants(only_b) == ()


def test_hubs_need_a_key_of_ours_and_the_clients_secret() -> None:
    section = hub()
    del section["jupyterhub"]["key"], section["jupyterhub"]["oidc"]["client_secret"]
    missing = missing_secrets(made_site(tenants=[tenant()], workloads=section))
    assert [".".join(map(str, one.path[2:])) for one in missing] == ["oidc.client_secret", "key"]


def test_a_site_of_notebooks_that_holds_has_no_findings() -> None:
    assert judged(tenants=[tenant()], workloads=hub()) == ()
    assert judged(tenants=[], workloads=hub()) == ()


@pytest.mark.parametrize(
    ("profile", "path"),
    [
        ({"pool": "trian", "device": "gpu"}, ".pool"),
        ({"pool": "train", "device": "mig-1g.10gb"}, ".device"),
        ({"pool": "general", "device": "gpu"}, ".device"),
        ({"pool": "train", "device": "gpu", "count": 9}, ""),
        ({"pool": "train", "device": "gpu", "memory": "2000Gi"}, ""),
        ({"pool": "general"}, ""),
    ],
)
def test_a_profile_that_nobody_could_use_is_told(profile: dict[str, Any], path: str) -> None:
    section = hub(profiles=[{"name": "One", **profile}])
    found = judged(tenants=[tenant()], workloads=section)
    assert places(found)[0] == ("jupyterhub-profile-unusable", f"{PATH}.profiles[0]{path}")


def test_a_tenant_without_anything_to_run_on_is_told_and_gets_no_hub() -> None:
    poor, rich = tenant("poor", quota={"general": {"cpu": 8}}), tenant()
    stated = [{"name": "One GPU", "pool": "train", "device": "gpu"}]
    found = judged(tenants=[poor, rich], workloads=hub(profiles=stated))
    assert places(found) == [("jupyterhub-nothing-to-offer", "site.tenants[0].quota")]
    only_rich = hub(profiles=stated, tenants=["ml-team"])
    assert judged(tenants=[poor, rich], workloads=only_rich) == ()


def test_the_namespace_of_a_hub_is_taken_and_has_to_fit() -> None:
    found = judged(tenants=[tenant("a"), tenant("jupyterhub-a")], workloads=hub(tenants=["a"]))
    assert ("name-reserved", "site.tenants[1].name") in places(found)
    long = "a" * 53
    found = judged(tenants=[tenant(long)], workloads=hub())
    assert places(found) == [("jupyterhub-name-too-long", "site.tenants[0].name")]
    assert judged(tenants=[tenant("a" * 52)], workloads=hub()) == ()


@pytest.mark.parametrize(
    "image", ["pytorch", "pytorch:latest", "r.example:5000/pytorch", "A:1", ""]
)
def test_an_image_that_may_be_another_one_tomorrow_is_refused(image: str) -> None:
    assert places(misshapen(workloads=hub(image=image))) == [("malformed", f"{PATH}.image")]


@pytest.mark.parametrize("image", ["r.example:5000/a/b:1.2", f"r.example/a@sha256:{'0' * 64}"])
def test_an_image_with_a_tag_or_a_digest_is_taken(image: str) -> None:
    assert judged(tenants=[tenant()], workloads=hub(image=image)) == ()


@pytest.mark.parametrize("url", ["http://sso.lab.example/a", "https://me:pw@sso.example/a", "sso"])
def test_nobody_logs_in_over_a_line_that_others_read(url: str) -> None:
    section = hub()
    section["jupyterhub"]["oidc"]["token_url"] = url
    assert places(misshapen(workloads=section)) == [("malformed", f"{PATH}.oidc.token_url")]


def test_there_is_no_hub_without_an_identity_provider() -> None:
    section = hub()
    del section["jupyterhub"]["oidc"]
    assert places(misshapen(workloads=section)) == [("missing-key", f"{PATH}.oidc")]
    section = hub(authenticator="dummy")
    assert places(misshapen(workloads=section)) == [("unknown-key", f"{PATH}.authenticator")]


def test_a_notebook_gets_one_share_of_a_gpu_and_no_more() -> None:
    pools = [gpu_pool("lab", sharing={"kind": "time-slicing", "replicas": 4})]
    team = tenant(quota={"lab": {"gpu.shared": 8}, "storage": "1Ti"})

    def found(**profile: object) -> list[tuple[str, str]]:
        one = {"name": "Shared", "pool": "lab", "device": "gpu.shared", **profile}
        workloads = hub(profiles=[one])
        return places(judged(node_pools=pools, tenants=[team], workloads=workloads))

    assert found() == []
    assert found(count=2) == [("jupyterhub-profile-unusable", f"{PATH}.profiles[0].count")]
    whole = ("jupyterhub-profile-unusable", f"{PATH}.profiles[0].device")
    assert whole in found(device="gpu")
