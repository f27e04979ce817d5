"""Who brings driver and toolkit, what comes with a driver, and each GPU node matched once."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import gpu_pool, judged, places

DRIVER = "580.178.04"
L4 = {"model": "L4-24GB", "count": 4}


def _found(driver: object, site: dict[str, Any] | None = None, **changes: object) -> list[str]:
    pool = {**gpu_pool(driver=driver), **changes}
    sections: dict[str, Any] = {"node_pools": [pool], **(site or {})}
    return [one.rule for one in judged(**sections)]


def _operator(**driver: object) -> dict[str, object]:
    return {"version": DRIVER, **driver}


def _host(**driver: object) -> dict[str, object]:
    return {"source": "host", "version": DRIVER, "fabric_manager": DRIVER, **driver}


@pytest.mark.parametrize(
    "setting",
    [
        {"gds": True},
        {"gdrcopy": True},
        {"rdma": "peermem"},
        {"precompiled": ["6.8.0-60-generic"]},
        {"module_options": ["NVreg_EnableStreamMemOPs=1"]},
    ],
)
def test_a_host_driver_refuses_what_only_the_operators_driver_brings(
    setting: dict[str, object],
) -> None:
    assert _found(_host(**setting)) == ["driver-setting-without-operator"]
    assert _found(_host()) == []


@pytest.mark.parametrize(
    ("driver", "changes", "found"),
    [
        ({"rdma": "peermem"}, {}, ["peermem-without-ofed"]),
        ({"rdma": "peermem"}, {"fabric": "ndr400"}, []),
        ({"rdma": "peermem"}, {"fabric": {"link": "ndr400", "driver": "host"}}, []),
        ({"rdma": "dma-buf"}, {}, []),
        (
            {"rdma": "dma-buf", "kernel_module": "proprietary"},
            {},
            ["dma-buf-needs-open-module"],
        ),
        (
            {"rdma": "dma-buf"},
            {"gpu": {"model": "V100-SXM2-32GB", "count": 8}},
            ["dma-buf-needs-open-module"],
        ),
        ({"gds": True}, {}, ["gds-needs-open-module"]),
        # The operator asks for the word, also where no other module would run.
        (
            {"gds": True},
            {"gpu": {"model": "B200-SXM-180GB", "count": 8}},
            ["gds-needs-open-module"],
        ),
        ({"gds": True, "kernel_module": "open"}, {}, []),
        ({"precompiled": []}, {}, ["precompiled-without-kernel"]),
        ({"precompiled": ["6.8.0-60-generic"]}, {}, []),
        ({"precompiled": ["6.8.0-60-lab"]}, {}, ["precompiled-unpublished"]),
        (
            {"precompiled": ["6.8.0-60-generic"], "upgrade": {"wave": 2}},
            {},
            ["upgrade-without-waves"],
        ),
        ({"precompiled": ["6.8.0-60-generic"], "gdrcopy": True}, {}, ["precompiled-with-modules"]),
    ],
)
def test_what_comes_with_a_driver_is_what_it_can_have(
    driver: dict[str, object], changes: dict[str, object], found: list[str]
) -> None:
    pool = {**gpu_pool(driver=_operator(**driver)), **changes}
    assert [one.rule for one in judged(node_pools=[pool])] == found


def test_a_registry_of_ones_own_may_hold_images_for_any_kernel() -> None:
    images = {"registry": "registry.lab.example"}
    driver = _operator(precompiled=["6.8.0-60-lab"])
    assert _found(driver, {"images": images}) == []


@pytest.mark.parametrize(
    ("driver", "gpu", "found"),
    [
        (_host(fabric_manager=None), {"model": "H100-SXM5-80GB"}, ["fabric-manager-unstated"]),
        (
            _host(fabric_manager="580.173.02"),
            {"model": "H100-SXM5-80GB"},
            ["fabric-manager-differs"],
        ),
        (_host(fabric_manager=None), {"model": "H100-SXM5-80GB", "count": 4}, []),
        (_host(fabric_manager=None), L4, []),
        ({"version": DRIVER, "fabric_manager": DRIVER}, L4, ["fabric-manager-differs"]),
    ],
)
def test_a_host_with_nvswitches_runs_the_fabric_manager_of_its_driver(
    driver: object, gpu: dict[str, object], found: list[str]
) -> None:
    assert _found(driver, gpu=gpu) == found


def test_two_pools_whose_selectors_one_node_could_match_never_both_get_the_operators_driver() -> (
    None
):
    one = gpu_pool("one", nodes=None, count=2, gpu=L4, selector={"zone": "a"})
    two = gpu_pool("two", nodes=None, count=2, gpu=L4, selector={"rack": "1"})
    apart = gpu_pool("two", nodes=None, count=2, gpu=L4, selector={"zone": "b"})
    assert places(judged(node_pools=[one, two])) == [
        ("driver-cr-overlap", "site.node_pools[1].selector")
    ]
    assert judged(node_pools=[one, apart]) == ()


def test_an_accepted_overlap_hides_no_overlap_of_drivers() -> None:
    first = gpu_pool(
        "cloud", nodes=None, count=2, gpu=L4, selector={"a": "1"}, driver={"source": "managed"}
    )
    pools = [
        first,
        gpu_pool("one", nodes=None, count=2, gpu=L4, selector={"b": "1"}),
        gpu_pool("two", nodes=None, count=2, gpu=L4, selector={"c": "1"}),
    ]
    accept = [
        {
            "rule": "selectors-overlap",
            "path": f"site.node_pools[{index}].selector",
            "reason": "known to us",
        }
        for index in (1, 2)
    ]
    found = judged(node_pools=pools, accept=accept)
    assert ("driver-cr-overlap", "site.node_pools[2].selector") in places(found)
    assert not any(one.waivable for one in found if one.rule == "driver-cr-overlap")


def test_a_node_in_two_pools_is_no_node_with_two_drivers_unless_both_are_the_operators() -> None:
    pools = [gpu_pool("one", nodes="gpu[1-2]"), gpu_pool("two", nodes="gpu[2-3]")]
    assert "node-in-two-pools" in [one.rule for one in judged(node_pools=pools)]


def test_nodes_that_we_may_not_label_are_told_which_labels_the_operator_goes_by() -> None:
    ours = gpu_pool("ours")
    theirs = gpu_pool(
        "theirs",
        nodes=None,
        count=2,
        gpu=L4,
        selector={"cloud/pool": "b"},
        driver={"source": "managed"},
    )
    (fault,) = judged(node_pools=[ours, theirs])
    assert (fault.rule, fault.path) == ("driver-cr-gap", "site.node_pools[1].driver")
    assert "nvidia.com/gpu.deploy.driver=false" in fault.message
    # Where the operator installs no driver at all there is nothing to keep it from.
    assert judged(node_pools=[theirs]) == ()


@pytest.mark.parametrize(
    ("operator", "found"),
    [
        ({"toolkit": {"runtime": "cri-o"}}, []),
        ({"toolkit": {"runtime": "cri-o", "socket": "/run/c.sock"}}, [".socket"]),
        ({"toolkit": {"runtime": "cri-o", "config": "/etc/c.toml"}}, [".config"]),
        ({"toolkit": {"runtime": "rke2", "config": "/etc/c.toml"}}, [".config"]),
        ({"toolkit": {"runtime": "rke2", "socket": "/run/c.sock"}}, []),
        ({"toolkit": {"socket": "/run/c.sock", "config": "/etc/c.toml"}}, []),
        ({"devices": "nri", "toolkit": {"socket": "/run/c.sock"}}, [".socket"]),
    ],
)
def test_the_toolkit_is_told_only_of_the_runtime_that_is_there(
    operator: dict[str, object], found: list[str]
) -> None:
    faults = judged(node_pools=[gpu_pool()], gpu_operator=operator)
    assert [one.path for one in faults] == [f"site.gpu_operator.toolkit{key}" for key in found]
    assert {one.rule for one in faults} <= {"toolkit-setting-of-another-runtime"}


def test_toolkit_settings_without_a_node_that_gets_the_toolkit_are_told() -> None:
    operator = {"toolkit": {"install_dir": "/opt/nvidia"}}
    assert _found(_host(), {"gpu_operator": operator}) == ["toolkit-without-nodes"]
    assert _found(_host(toolkit="operator"), {"gpu_operator": operator}) == []


def test_a_hosts_toolkit_beside_the_operators_driver_is_refused() -> None:
    assert _found(_operator(toolkit="host")) == ["toolkit-of-host-beside-operators-driver"]


@pytest.mark.parametrize(
    ("driver", "found"),
    [
        (DRIVER, []),
        ({"source": "host"}, ["default-driver-not-installed"]),
        ({"kernel_module": "open"}, ["default-driver-not-installed"]),
        ({"version": DRIVER, "rdma": "peermem"}, ["peermem-without-ofed"]),
    ],
)
def test_a_driver_for_nodes_in_no_pool_is_one_that_the_operator_installs(
    driver: object, found: list[str]
) -> None:
    assert _found(DRIVER, {"gpu_operator": {"default_driver": driver}}) == found
