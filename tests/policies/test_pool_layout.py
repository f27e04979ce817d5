"""Each case is one node pool and exactly what the rule says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from policy_stack import UNKNOWN_YET, judged, pool, resource

from gpu_cluster_policies.sharing.pool_layout import MIG_LAYOUT_DOES_NOT_FIT as RULE
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE

if TYPE_CHECKING:
    from pulumi.runtime.proto.analyzer_pb2 import AnalyzerResource


def layouts(model: str) -> str:
    board = GPUS[model].mig
    assert board is not None
    return ", ".join(board.layouts)


@pytest.mark.parametrize(
    ("gpu", "layout"),
    [
        ("A100-SXM4-80GB", "all-3g.40gb"),
        ("A100-SXM4-40GB", "all-3g.20gb"),
        ("H100-SXM5-80GB", "all-balanced"),
        ("H100-SXM5-80GB", "all-1g.10gb.me"),
        ("A30-PCIE-24GB", "all-disabled"),
        ("L40S-48GB", "all-disabled"),
        ("L40S-48GB", None),
        (None, None),
    ],
)
def test_a_layout_that_its_gpu_can_hold_passes(gpu: str | None, layout: str | None) -> None:
    assert judged(RULE, [pool("serve", gpu=gpu, layout=layout)]) == ([], "")


@pytest.mark.parametrize(
    ("gpu", "layout"),
    [
        # The profile of the other memory size, of the other generation, with a slip of the pen.
        ("A100-SXM4-40GB", "all-3g.40gb"),
        ("A100-SXM4-80GB", "all-3g.20gb"),
        ("B200-SXM-180GB", "all-1g.10gb"),
        ("H100-SXM5-80GB", "all-1g.10gb+me"),
        ("H100-SXM5-80GB", "all-3g.40GB"),
    ],
)
def test_a_layout_of_another_board_is_refused_with_those_that_fit(gpu: str, layout: str) -> None:
    assert judged(RULE, [pool("serve", gpu=gpu, layout=layout)]) == (
        [
            (
                "serve",
                (
                    f"node pool serve: the MIG layout {layout} does not fit {gpu}: MIG Manager "
                    f"makes none of this name for it; fix: use {layouts(gpu)}"
                ),
            )
        ],
        "",
    )


def test_a_gpu_without_mig_takes_no_layout() -> None:
    assert judged(RULE, [pool("serve", gpu="L40S-48GB", layout="all-1g.10gb")]) == (
        [
            (
                "serve",
                (
                    "node pool serve: the MIG layout all-1g.10gb does not fit L40S-48GB: it has no "
                    "MIG; fix: use all-disabled"
                ),
            )
        ],
        "",
    )


@pytest.mark.parametrize(
    ("instances", "reason"),
    [
        ({"3g.40gb": 2.0}, None),
        ({"3g.40gb": 1.0, "2g.20gb": 1.0, "1g.10gb": 2.0}, None),
        ({"3g.40gb": 3.0}, "3 x 3g.40gb, and a GPU holds at most 2"),
        (
            {"3g.40gb": 2.0, "1g.10gb": 1.0},
            "no placement of the instances leaves them apart on the GPU's memory slices",
        ),
        ({"3g.20gb": 1.0}, "the board has no profile 3g.20gb"),
    ],
)
def test_a_layout_of_ones_own_is_judged_by_what_the_configuration_says_it_holds(
    instances: dict[str, float], reason: str | None
) -> None:
    gpu = "A100-SXM4-80GB"
    config = {"layouts": {"ours": instances}}
    expected = (
        f"node pool serve: the MIG layout ours does not fit {gpu}: {reason}; fix: use "
        f"{layouts(gpu)}"
    )
    assert judged(RULE, [pool("serve", gpu=gpu, layout="ours")], config) == (
        [("serve", expected)] if reason else [],
        "",
    )


@pytest.mark.parametrize(
    ("gpu", "layout", "message"),
    [
        (
            None,
            "all-3g.40gb",
            (
                "cannot judge the MIG layout all-3g.40gb, the pool names no GPU model; fix: set "
                "gpu.model of the pool, or mig-layout-does-not-fit.boards.serve in the file given "
                "with --policy-pack-config"
            ),
        ),
        (
            "A100-80",
            "all-3g.40gb",
            (
                "cannot judge the MIG layout all-3g.40gb, the catalogue has no GPU called A100-80; "
                "fix: name one that is cut alike with mig-layout-does-not-fit.boards in the file "
                "given with --policy-pack-config"
            ),
        ),
        (
            "A100-SXM4-80GB",
            "ours",
            (
                "cannot judge the MIG layout ours, MIG Manager makes none of this name by itself; "
                "fix: say which instances it has with mig-layout-does-not-fit.layouts in the file "
                "given with --policy-pack-config"
            ),
        ),
    ],
)
def test_what_cannot_be_judged_is_said_with_the_setting_that_would_let_it(
    gpu: str | None, layout: str, message: str
) -> None:
    assert judged(RULE, [pool("serve", gpu=gpu, layout=layout)]) == (
        [("serve", f"node pool serve: {message}")],
        "",
    )


def test_the_configured_board_goes_before_the_pools_own_word() -> None:
    stack = [pool("serve", gpu="A100-80", layout="all-3g.40gb")]
    assert judged(RULE, stack, {"boards": {"serve": "A100-SXM4-80GB"}}) == ([], "")


@pytest.mark.parametrize("mig", [UNKNOWN_YET, {"layout": UNKNOWN_YET}])
def test_an_unknown_layout_is_judged_after_the_update(mig: object) -> None:
    props = {"name": "serve", "gpu": {"model": "A100-SXM4-80GB", "count": 8.0}, "mig": mig}
    assert judged(RULE, [resource(NODE_POOL_TYPE, "serve", props)]) == (
        [],
        "judged after the update:\n  node pool serve: its MIG layout is not known yet",
    )


def _of_its_own(
    kinds: list[dict[str, float]], model: str = "A100-SXM4-80GB", **gpu: object
) -> AnalyzerResource:
    """A pool with a layout that its site wrote, as the component registers it."""
    layouts = {"custom-0a1b2c3d": kinds, "all-1g.10gb": []}
    props = {
        "name": "serve",
        "gpu": {"model": model, "count": 8.0, **gpu},
        "mig": {"layout": "", "strategy": "mixed", "layouts": layouts},
    }
    return resource(NODE_POOL_TYPE, "serve", props)


def test_a_layout_that_the_site_wrote_is_judged_by_what_the_pool_says_of_it() -> None:
    kinds: list[dict[str, float]] = [{"3g.40gb": 2.0}, {"1g.10gb": 7.0}]
    assert judged(RULE, [_of_its_own(kinds)]) == ([], "")


def test_each_kind_of_gpu_in_it_has_to_hold_its_instances() -> None:
    kinds: list[dict[str, float]] = [{"1g.10gb": 7.0}, {"3g.40gb": 2.0, "1g.10gb": 1.0}]
    ((_, message),), _ = judged(RULE, [_of_its_own(kinds)])
    assert "the MIG layout custom-0a1b2c3d does not fit A100-SXM4-80GB: no placement" in message


def test_every_layout_of_the_pool_is_judged() -> None:
    assert judged(RULE, [_of_its_own([{"3g.20gb": 2.0}], "A100-SXM4-40GB")]) == ([], "")
    ((_, message),), _ = judged(RULE, [_of_its_own([{"3g.90gb": 2.0}], "B200-SXM-180GB")])
    assert "the MIG layout all-1g.10gb does not fit B200-SXM-180GB" in message


@pytest.mark.parametrize(("most", "found"), [(2.0, 0), (7.0, 1)])
def test_a_gpu_of_the_sites_own_is_judged_by_the_facts_that_the_pool_carries(
    most: float, found: int
) -> None:
    large = {"compute": 3.0, "memory": 4.0, "max": 2.0, "starts": [0.0, 4.0]}
    small = {"compute": 1.0, "memory": 1.0, "max": most, "starts": [0.0, 1.0]}
    board = {
        "compute_slices": 7.0,
        "memory_slices": 8.0,
        "profiles": {"3g.128gb": large, "1g.10gb": small},
    }
    facts = {"memory": "256Gi", "compute_capability": "11.0", "mig": board}
    pool = _of_its_own([{"3g.128gb": 2.0}], "X100-SXM-256GB", facts=facts)
    assert len(judged(RULE, [pool])[0]) == found


def test_other_resources_are_none_of_its_business() -> None:
    props = {"name": "serve", "mig": {"layout": "all-3g.40gb"}}
    assert judged(RULE, [resource("gpu-cluster:node-pools:NodePools", "serve", props)]) == ([], "")
