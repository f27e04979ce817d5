"""Each case is a node with a layout written on it and exactly what the rule says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from policy_stack import KUBERNETES, UNKNOWN_YET, judged, pool, resource

from gpu_cluster_policies.sharing.node_layout import NODE_MIG_LAYOUT_DOES_NOT_FIT as RULE
from pulumi_gpu_cluster.catalog.gpus import GPUS

if TYPE_CHECKING:
    from pulumi.runtime.proto.analyzer_pb2 import AnalyzerResource

SERVE = pool("serve", gpu="A100-SXM4-40GB", layout="all-3g.20gb")
_BOARD = GPUS["A100-SXM4-40GB"].mig
assert _BOARD is not None
WRONG = (
    "node mig01: the MIG layout all-3g.40gb does not fit A100-SXM4-40GB: MIG Manager makes none "
    f"of this name for it; fix: use {', '.join(_BOARD.layouts)}"
)


def node(
    layout: str | None = "all-3g.40gb", kind: str = "NodePatch", **labels: str
) -> AnalyzerResource:
    names = {"pool": "gpu-cluster.io/pool", "product": "nvidia.com/gpu.product"}
    every: dict[str, Any] = {names[key]: value for key, value in labels.items()}
    if layout is not None:
        every["nvidia.com/mig.config"] = layout
    return resource(
        f"{KUBERNETES}{kind}", "patch-1", {"metadata": {"name": "mig01", "labels": every}}
    )


@pytest.mark.parametrize("kind", ["Node", "NodePatch"])
@pytest.mark.parametrize(
    ("labels", "config"),
    [
        ({"pool": "serve"}, {}),
        ({"product": "NVIDIA-A100-SXM4-40GB"}, {}),
        ({"product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb"}, {}),
        ({"product": "NVIDIA-A100-SXM4-40GB-SHARED"}, {}),
        ({}, {"boards": {"mig01": "A100-SXM4-40GB"}}),
        ({"pool": "elsewhere"}, {"boards": {"elsewhere": "A100-SXM4-40GB"}}),
        (
            {"product": "NVIDIA-A100-SXM4-80GB"},
            {"boards": {"mig01": "A100-SXM4-40GB", "serve": "A100-SXM4-80GB"}},
        ),
        ({"pool": "serve", "product": "something-new"}, {}),
    ],
)
def test_a_layout_written_by_hand_is_judged_wherever_the_board_is_told(
    kind: str, labels: dict[str, str], config: dict[str, Any]
) -> None:
    assert judged(RULE, [SERVE, node(kind=kind, **labels)], config) == ([("patch-1", WRONG)], "")
    assert judged(RULE, [SERVE, node("all-3g.20gb", kind, **labels)], config) == ([], "")


def test_what_the_machine_says_of_itself_goes_before_its_pool() -> None:
    labels = {"pool": "serve", "product": "NVIDIA-A100-SXM4-80GB"}
    assert judged(RULE, [SERVE, node("all-3g.40gb", **labels)]) == ([], "")


def test_a_node_that_has_its_pools_layout_is_judged_with_the_pool_alone() -> None:
    wrong = pool("serve", gpu="A100-SXM4-40GB", layout="all-3g.40gb")
    assert judged(RULE, [wrong, node(pool="serve")]) == ([], "")


def test_a_node_without_a_layout_is_none_of_its_business() -> None:
    assert judged(RULE, [SERVE, node(None, pool="serve")]) == ([], "")


@pytest.mark.parametrize("labels", [{}, {"pool": "elsewhere"}, {"product": "something-new"}])
def test_where_nothing_tells_the_board_the_rule_says_so_instead_of_passing(
    labels: dict[str, str],
) -> None:
    assert judged(RULE, [SERVE, node(**labels)]) == (
        [
            (
                "patch-1",
                (
                    "node mig01: cannot judge the MIG layout all-3g.40gb, nothing in the stack "
                    "tells its GPUs; fix: set node-mig-layout-does-not-fit.boards.mig01 in the "
                    "file given with --policy-pack-config"
                ),
            )
        ],
        "",
    )


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (
            resource(f"{KUBERNETES}Node", "patch-1", {"metadata": {"labels": UNKNOWN_YET}}),
            "node patch-1: its labels are not known yet",
        ),
        (
            node(UNKNOWN_YET, pool="serve"),
            "node patch-1: its name or its label nvidia.com/mig.config is not known yet",
        ),
        (node(pool=UNKNOWN_YET), "node mig01: which GPUs it has is not known yet"),
        (node(product=UNKNOWN_YET), "node mig01: which GPUs it has is not known yet"),
    ],
)
def test_what_a_preview_cannot_know_is_judged_after_the_update(
    one: AnalyzerResource, why: str
) -> None:
    assert judged(RULE, [SERVE, one]) == ([], f"judged after the update:\n  {why}")
