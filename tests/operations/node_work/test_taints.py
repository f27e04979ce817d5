"""Whose taint is whose: each case is a node before and after."""

from __future__ import annotations

from typing import Any

import pytest

from pulumi_gpu_cluster.operations.node_work.taints import (
    ANNOTATION,
    Taint,
    TaintError,
    change,
    parse,
    remembered,
)

GPU = Taint("nvidia.com/gpu", "NoSchedule", "present")
GPU_OTHER = Taint("nvidia.com/gpu", "NoSchedule", "other")
DRAIN = Taint("gpu-cluster.io/drain", "NoExecute")
FOREIGN = {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}
TIMED = {
    "key": "node.kubernetes.io/unreachable",
    "effect": "NoExecute",
    "timeAdded": "2026-07-01T10:00:00Z",
}


@pytest.mark.parametrize(
    ("there", "ours", "wanted", "taints", "owned"),
    [
        pytest.param([], [], [GPU], [GPU.entry], [GPU], id="a new taint comes and is ours"),
        pytest.param(
            [FOREIGN, TIMED],
            [],
            [GPU],
            [FOREIGN, TIMED, GPU.entry],
            [GPU],
            id="what others wrote stays as they wrote it",
        ),
        pytest.param(
            [FOREIGN, GPU.entry, DRAIN.entry],
            [GPU, DRAIN],
            [GPU],
            [FOREIGN, GPU.entry],
            [GPU],
            id="one of ours that is wanted no more goes",
        ),
        pytest.param(
            [GPU.entry], [GPU], [GPU_OTHER], [GPU_OTHER.entry], [GPU_OTHER], id="ours may change"
        ),
        pytest.param([GPU.entry], [GPU], [GPU], [GPU.entry], [GPU], id="what is right stays"),
        pytest.param(
            [GPU.entry], [], [GPU], [GPU.entry], [], id="what somebody else set remains theirs"
        ),
        pytest.param([GPU.entry], [], [], [GPU.entry], [], id="and is never removed"),
        pytest.param(
            [GPU_OTHER.entry],
            [GPU],
            [],
            [GPU_OTHER.entry],
            [],
            id="ours that somebody gave another value is not removed",
        ),
        pytest.param(
            [GPU_OTHER.entry],
            [GPU],
            [GPU],
            [GPU.entry],
            [GPU],
            id="but put right while it is wanted",
        ),
        pytest.param([], [GPU], [], [], [], id="ours that somebody removed is forgotten"),
        pytest.param([], [GPU], [GPU], [GPU.entry], [GPU], id="or set again while it is wanted"),
        pytest.param(
            [{"key": "a", "effect": "NoExecute", "value": "1"}],
            [],
            [Taint("a", "NoSchedule", "2")],
            [
                {"key": "a", "effect": "NoExecute", "value": "1"},
                {"key": "a", "effect": "NoSchedule", "value": "2"},
            ],
            [Taint("a", "NoSchedule", "2")],
            id="the same key with another effect is another taint",
        ),
    ],
)
def test_our_taints_come_and_go_and_nobody_elses_do(
    there: list[dict[str, Any]],
    ours: list[Taint],
    wanted: list[Taint],
    taints: list[dict[str, Any]],
    owned: list[Taint],
) -> None:
    done = change(there, ours, wanted, "gpu01")
    assert (list(done.taints), list(done.ours)) == (taints, owned)
    again = change(done.taints, done.ours, wanted, "gpu01")
    assert not again.added
    assert not again.removed, "the second run has nothing left to do"


def test_a_value_that_somebody_else_gave_is_refused_and_not_overwritten() -> None:
    with pytest.raises(TaintError) as refused:
        change([GPU_OTHER.entry], [], [GPU], "gpu01")
    assert str(refused.value) == (
        "node gpu01: nvidia.com/gpu=other:NoSchedule was set by somebody else, and "
        "nvidia.com/gpu=present:NoSchedule is wanted; fix: remove it (kubectl taint node gpu01 "
        "nvidia.com/gpu:NoSchedule-) or want the same value"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[{",
            (
                "GPU_CLUSTER_TAINTS is no JSON (Expecting property name enclosed in double quotes: "
                "line 1 column 3 (char 2)); fix: give a list of taints"
            ),
        ),
        ("{}", "GPU_CLUSTER_TAINTS is no JSON list; fix: give a list of taints"),
        *(
            (
                entry,
                (
                    "GPU_CLUSTER_TAINTS has an entry that is no taint; fix: each needs a key and "
                    "one of the effects NoSchedule, PreferNoSchedule, NoExecute, and may have a "
                    "value"
                ),
            )
            for entry in (
                '["nvidia.com/gpu"]',
                '[{"key": "a"}]',
                '[{"key": "", "effect": "NoSchedule"}]',
                '[{"key": "a", "effect": "NoRun"}]',
                '[{"key": "a", "effect": "NoSchedule", "value": 1}]',
            )
        ),
        (
            (
                '[{"key": "a", "effect": "NoSchedule"},'
                ' {"key": "a", "effect": "NoSchedule", "value": "1"}]'
            ),
            "GPU_CLUSTER_TAINTS names a:NoSchedule twice; fix: name it once",
        ),
    ],
)
def test_nonsense_is_refused_with_the_way_out(text: str, message: str) -> None:
    with pytest.raises(TaintError) as refused:
        parse(text, "GPU_CLUSTER_TAINTS")
    assert str(refused.value) == message


def test_nonsense_in_the_annotation_is_not_taken_for_no_taints() -> None:
    with pytest.raises(TaintError, match=r"annotation gpu-cluster.io/taints of node gpu01 is no"):
        remembered({ANNOTATION: "true"}, "gpu01")
