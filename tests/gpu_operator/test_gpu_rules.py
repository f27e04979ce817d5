"""Rules of drivers and MIG, at their edges."""

from __future__ import annotations

import datetime as dt

import pytest
from made_site import AS_OF, gpu_pool, judged, places


def _found(as_of: dt.date = AS_OF, **changes: object) -> list[str]:
    return [finding.rule for finding in judged(as_of, node_pools=[gpu_pool("train", **changes)])]


def _gpu(model: str) -> dict[str, object]:
    return {"model": model, "count": 8}


@pytest.mark.parametrize(
    ("model", "driver", "mig", "found"),
    [
        ("H100-SXM5-80GB", "580.173.02", None, []),
        ("B200-SXM-180GB", "580.173.02", "all-3g.90gb", []),
        ("B300-SXM-269GB", "580.173.02", "all-3g.135gb", []),
        ("GB300-278GB", "580.173.02", None, []),
        ("GB300-278GB", "580.173.02", "all-balanced", ["driver-too-old"]),
        ("GB300-278GB", "580.173.02", "all-disabled", []),
        ("H200-SXM-141GB", "535.309.01", None, ["driver-branch-ended"]),
        (
            "H100-SXM5-80GB",
            "535.309.01",
            "all-3g.40gb",
            ["driver-branch-ended", "mig-layouts-not-generated"],
        ),
        ("RTX-PRO-6000-96GB", "575.64.05", None, ["driver-unknown", "driver-branch-ended"]),
        ("V100-SXM2-32GB", "580.178.04", None, []),
        ("V100-SXM2-32GB", "595.91.07", None, ["driver-too-new"]),
        ("H100-SXM5-80GB", "470.256.02", None, ["driver-too-old", "driver-unknown"]),
        ("H100-SXM5-80GB", "580.999.99", None, ["driver-unknown"]),
        ("H100-SXM5-80GB", "999.10.10", None, ["driver-unknown"]),
    ],
)
def test_a_driver_fits_the_gpu(model: str, driver: str, mig: str | None, found: list[str]) -> None:
    assert _found(gpu=_gpu(model), driver=driver, mig=mig) == found


def test_a_branch_ends_on_a_day_and_the_check_can_be_asked_for_any_day() -> None:
    assert _found(dt.date(2027, 3, 31), driver="595.91.07") == []
    assert _found(dt.date(2027, 4, 1), driver="595.91.07") == ["driver-branch-ended"]


def test_a_recommended_driver_is_of_a_living_branch_while_there_is_one() -> None:
    (finding,) = judged(node_pools=[gpu_pool(driver=None)])
    assert finding.fix.startswith("add driver: 580.173.02, 580.178.04 or 595.91.07;")
    (late,) = judged(dt.date(2040, 1, 1), node_pools=[gpu_pool(driver=None)])
    assert "535.309.01" in late.fix


@pytest.mark.parametrize(
    ("driver", "found"),
    [
        ({"source": "host"}, []),
        ({"source": "managed"}, []),
        ({"source": "host", "version": "999.1.1"}, ["driver-unknown"]),
        ({"source": "host", "version": "580.65.06"}, []),
        ({"source": "operator"}, ["driver-missing"]),
        (None, ["driver-missing"]),
        ({"version": "580.173.02", "kernel_module": "open"}, []),
        ({"source": "host", "kernel_module": "open"}, ["kernel-module-without-effect"]),
    ],
)
def test_who_installs_the_driver_decides_what_must_be_said(
    driver: object, found: list[str]
) -> None:
    assert _found(gpu=_gpu("L40S-48GB"), driver=driver) == found


@pytest.mark.parametrize(
    ("model", "module", "found"),
    [
        ("B200-SXM-180GB", "open", []),
        ("B200-SXM-180GB", "auto", []),
        ("B200-SXM-180GB", "proprietary", ["kernel-module-mismatch"]),
        ("GH200-96GB", "proprietary", ["kernel-module-mismatch"]),
        ("V100-SXM2-32GB", "open", ["kernel-module-mismatch"]),
        ("T4-16GB", "open", []),
    ],
)
def test_a_kernel_module_runs_the_gpu(model: str, module: str, found: list[str]) -> None:
    driver = {"version": "580.173.02", "kernel_module": module}
    assert _found(gpu=_gpu(model), driver=driver) == found


@pytest.mark.parametrize(
    ("model", "layout", "found", "way_out"),
    [
        # The names a tutorial has, on the board that is really there.
        ("B200-SXM-180GB", "all-1g.24gb", "mig-does-not-fit", "use all-1g.23gb or all-1g.45gb"),
        ("A100-SXM4-80GB", "all-1g.5gb", "mig-does-not-fit", "use all-1g.10gb or all-1g.20gb"),
        ("A100-SXM4-80GB", "all-7g.79gb", "mig-unknown-layout", "did you mean all-7g.80gb?"),
        ("A100-SXM4-80GB", "all-4g.20gb", "mig-does-not-fit", "use all-4g.40gb"),
        ("A30-PCIE-24GB", "all-3g.40gb", "mig-does-not-fit", None),
        ("L4-24GB", "all-1g.6gb", "mig-not-supported", "remove it: pods get whole GPUs"),
    ],
)
def test_a_layout_of_another_board_is_refused_with_the_one_that_is_meant(
    model: str, layout: str, found: str, way_out: str | None
) -> None:
    (finding,) = judged(node_pools=[gpu_pool(gpu=_gpu(model), mig=layout)])
    assert (finding.rule, finding.path) == (found, "site.node_pools[0].mig")
    assert way_out is None or finding.fix == way_out


def test_a_mixed_layout_under_the_single_strategy_is_refused_before_the_plugin_stops() -> None:
    mig = {"layout": "all-balanced", "strategy": "single"}
    assert places(judged(node_pools=[gpu_pool(gpu=_gpu("A30-PCIE-24GB"), mig=mig)])) == [
        ("mig-single-nonuniform", "site.node_pools[0].mig.strategy")
    ]
    uniform = {"layout": "all-2g.12gb", "strategy": "single"}
    assert _found(gpu=_gpu("A30-PCIE-24GB"), mig=uniform) == []
