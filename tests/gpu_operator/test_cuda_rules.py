"""What images are built with, held against the drivers and GPUs of their pools."""

from __future__ import annotations

import pytest
from made_site import gpu_pool, judged, misshapen, places, tenant

V100 = {"model": "V100-SXM2-32GB", "count": 8}
B200 = {"model": "B200-SXM-180GB", "count": 8}
RTX = {"model": "RTX-PRO-6000-96GB", "count": 8}


def _found(asked: object, driver: object = "580.178.04", **changes: object) -> list[str]:
    team = tenant(cuda=asked)
    pools = [{**gpu_pool(driver=driver), **changes}]
    return [
        one.rule for one in judged(node_pools=pools, tenants=[team]) if one.rule.startswith("cuda")
    ]


@pytest.mark.parametrize(
    ("cuda", "driver", "found"),
    [
        # Older than the driver: always.
        ("12.4", "580.178.04", []),
        ("13.0", "580.178.04", []),
        # A later minor version of the same major one: without its newest features.
        ("13.2", "580.178.04", []),
        ("12.9", "535.309.01", []),
        # The next major version: not at all.
        ("13.0", "570.211.01", ["cuda-too-new"]),
        ("13.0", "535.309.01", ["cuda-too-new"]),
        # The floor itself, and one release before it.
        ("13.1", "580.65.06", []),
        ("13.1", "580.65.05", ["cuda-too-new"]),
        ("12.7", "580.178.04", ["cuda-unknown"]),
        ("14.0", "595.91.07", ["cuda-too-new", "cuda-unknown"]),
        ("10.2", "580.178.04", ["cuda-before-gpu"]),
    ],
)
def test_a_driver_runs_what_is_older_and_what_is_of_its_own_major_version(
    cuda: str, driver: str, found: list[str]
) -> None:
    assert _found(cuda, driver) == found


def test_images_too_new_for_a_driver_are_told_every_way_out() -> None:
    (fault,) = [
        one
        for one in judged(node_pools=[gpu_pool(driver="570.211.01")], tenants=[tenant(cuda="13.0")])
        if one.rule == "cuda-too-new"
    ]
    assert fault.path == "site.tenants[0].cuda"
    assert fault.message == (
        "13.0 does not run on driver 570.211.01 of pool train: CUDA 13 needs 580.65.06 or newer"
    )
    assert fault.fix == (
        "move the pool to 580.173.02, 580.178.04 or 595.91.07; or build with CUDA 12.8 or older; "
        "or write forward_compat: true where the images carry cuda-compat-13-0"
    )


def test_images_with_the_forward_compatibility_package_run_on_an_older_driver() -> None:
    asked = {"version": "13.0", "forward_compat": True}
    assert _found(asked, "570.211.01") == []
    # Beside a driver that knows this CUDA, the package's older library stops.
    assert _found(asked, "580.178.04") == ["cuda-compat-needless"]
    assert _found(asked, "580.178.04", gpu=RTX) == [
        "cuda-compat-not-for-gpu",
        "cuda-compat-needless",
    ]


def test_a_gpu_that_cuda_has_dropped_is_told_whatever_driver_runs() -> None:
    assert _found("13.0", "580.178.04", gpu=V100) == ["cuda-dropped-gpu"]
    assert _found("12.9", "580.178.04", gpu=V100) == []


def test_an_image_older_than_the_gpu_is_told_that_it_compiles_at_start() -> None:
    assert _found("12.4", "580.178.04", gpu=B200) == ["cuda-before-gpu"]
    assert _found("12.8", "580.178.04", gpu=B200) == []


def test_a_driver_of_unknown_version_is_said_not_to_be_judged() -> None:
    assert _found("13.0", {"source": "managed"}) == ["cuda-not-judged"]


def test_a_tenant_is_judged_only_by_pools_in_which_it_has_gpus() -> None:
    pools = [gpu_pool(), gpu_pool("other", driver="570.211.01")]
    team = tenant(cuda="13.0", quota={"train": {"gpu": 8}, "storage": "1Ti"})
    found = judged(node_pools=pools, tenants=[team])
    assert not [one for one in found if one.rule.startswith("cuda")]


def test_notebooks_are_judged_by_the_pools_that_they_are_offered_in() -> None:
    hub = {
        "domain": "jupyter.lab.example",
        "image": "registry.example/notebook:cuda13",
        "cuda": "13.0",
        "oidc": {
            "authorize_url": "https://id.example/a",
            "token_url": "https://id.example/t",
            "userinfo_url": "https://id.example/u",
            "client_id": "hub",
        },
    }
    found = judged(
        node_pools=[gpu_pool(driver="570.211.01")],
        tenants=[tenant()],
        workloads={"jupyterhub": hub},
    )
    assert ("cuda-too-new", "site.workloads.jupyterhub.cuda") in places(found)


def test_a_version_without_quotes_is_no_version() -> None:
    # YAML reads 12.10 as 12.1.
    (fault,) = misshapen(tenants=[tenant(cuda=12.1)])
    assert (fault.rule, fault.path) == ("malformed", "site.tenants[0].cuda")
    assert "in quotes" in fault.fix
