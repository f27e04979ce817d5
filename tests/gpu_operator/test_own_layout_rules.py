"""MIG layouts that a site writes itself: what boards hold, on which GPUs and nodes."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import gpu_pool, judged, places

_DEVICES = "site.node_pools[0].mig.layouts[0].devices"


def _found(mig: object, **changes: Any) -> list[tuple[str, str]]:
    return places(judged(node_pools=[gpu_pool("train", mig=mig, **changes)]))


def _own(devices: dict[str, dict[str, int]]) -> dict[str, object]:
    return {"layouts": [{"devices": devices}]}


@pytest.mark.parametrize(
    "devices",
    [
        {"0-3": {"3g.40gb": 2}, "4-7": {"1g.10gb": 7}},
        {"0": {"4g.40gb": 1, "3g.40gb": 1}},
        {"7": {"1g.10gb": 6, "1g.10gb+me": 1}},
        {"0,2,4-5": {"2g.20gb": 3, "1g.10gb": 1}},
    ],
)
def test_instances_that_find_their_place_on_each_gpu_are_taken(
    devices: dict[str, dict[str, int]],
) -> None:
    assert _found(_own(devices)) == []


@pytest.mark.parametrize(
    ("devices", "rule"),
    [
        ({"0": {"3g.40gb": 2, "1g.10gb": 1}}, "mig-own-does-not-fit"),
        ({"0": {"1g.10gb": 8}}, "mig-own-does-not-fit"),
        ({"0": {"3g.20gb": 2}}, "mig-own-does-not-fit"),
        ({"8": {"3g.40gb": 2}}, "mig-gpu-numbers"),
    ],
)
def test_what_a_gpu_cannot_hold_or_a_node_does_not_have_is_refused_at_its_place(
    devices: dict[str, dict[str, int]], rule: str
) -> None:
    (key,) = devices
    assert _found(_own(devices)) == [(rule, f"{_DEVICES}.{key}")]


def test_a_sum_of_slices_is_no_proof_of_a_place() -> None:
    (finding,) = judged(node_pools=[gpu_pool(mig=_own({"0": {"3g.40gb": 2, "1g.10gb": 1}}))])
    assert "no placement of the instances leaves them apart" in finding.message


def test_gpu_ranges_that_overlap_are_refused() -> None:
    mig = _own({"0-3": {"3g.40gb": 2}, "3-4": {"1g.10gb": 7}})
    assert _found(mig) == [("mig-gpu-numbers", f"{_DEVICES}.3-4")]
    assert _found(_own({"0,0": {"3g.40gb": 2}})) == [("mig-gpu-numbers", f"{_DEVICES}.0,0")]


def test_every_node_of_a_pool_has_exactly_one_layout() -> None:
    nodes = "site.node_pools[0].mig.layouts[1].nodes"
    one = {"nodes": "train[01-02]", "layout": "all-1g.10gb"}
    assert _found({"layouts": [one]}) == [("mig-layout-missing", "site.node_pools[0].mig.layout")]
    assert _found({"layouts": [one], "layout": "all-disabled"}) == []
    rest = {"nodes": "train[03-04]", "layout": "all-3g.40gb"}
    assert _found({"layouts": [one, rest]}) == []
    overlap = {"nodes": "train[02-04]", "layout": "all-3g.40gb"}
    assert _found({"layouts": [one, overlap]}) == [("mig-layout-nodes", nodes)]
    strange = {"nodes": "train[03-05]", "layout": "all-3g.40gb"}
    assert _found({"layouts": [one, strange]}) == [("mig-layout-nodes", nodes)]
    everything = {"layout": "all-3g.40gb"}
    assert _found({"layouts": [one, everything]}) == [("mig-layout-nodes", nodes)]


def test_an_entry_holds_a_named_layout_or_one_of_its_own() -> None:
    both = {"layout": "all-1g.10gb", "devices": {"0": {"3g.40gb": 2}}}
    where = "site.node_pools[0].mig.layouts[0]"
    assert _found({"layouts": [both]}) == [("mig-layout-missing", where)]
    assert _found({"layouts": [dict[str, object]()]}) == [("mig-layout-missing", where)]
    assert _found({"strategy": "mixed"}) == [("mig-layout-missing", "site.node_pools[0].mig")]


def test_a_selectors_nodes_take_no_layout_that_they_would_have_to_be_told() -> None:
    pool = gpu_pool(mig=_own({"0": {"3g.40gb": 2}}), selector={"group": "gpu"}, count=2)
    del pool["nodes"]
    assert places(judged(node_pools=[pool])) == [
        ("mig-layout-nodes", "site.node_pools[0].mig.layouts[0]")
    ]


def test_under_single_no_gpu_of_a_node_is_cut_otherwise_than_the_others() -> None:
    cut = {"strategy": "single", **_own({"0-7": {"3g.40gb": 2}})}
    assert _found(cut) == []
    beside_whole = {"strategy": "single", **_own({"0-6": {"3g.40gb": 2}})}
    assert _found(beside_whole) == [("mig-single-nonuniform", "site.node_pools[0].mig.strategy")]


def test_a_gpu_that_nobody_knows_is_taken_with_what_the_site_tells_of_it() -> None:
    profiles = {
        "1g.32gb": {"compute": 1, "memory": 1, "max": 7, "starts": [0, 1, 2, 3, 4, 5, 6]},
        "3g.128gb": {"compute": 3, "memory": 4, "max": 2, "starts": [0, 4]},
    }
    facts = {
        "memory": "256Gi",
        "compute_capability": "11.0",
        "mig": {"compute_slices": 7, "memory_slices": 8, "profiles": profiles},
    }
    gpu = {"model": "X100-SXM-256GB", "facts": facts}
    assert _found(_own({"0-7": {"3g.128gb": 2}}), gpu=gpu) == []
    assert _found("all-1g.32gb", gpu=gpu) == []
    assert _found(_own({"0": {"3g.128gb": 2, "1g.32gb": 1}}), gpu=gpu) == [
        ("mig-own-does-not-fit", f"{_DEVICES}.0")
    ]
    without = {"model": "X100-SXM-256GB"}
    assert _found("all-1g.32gb", gpu=without) == [
        ("gpu-unknown-model", "site.node_pools[0].gpu.model")
    ]


@pytest.mark.parametrize(
    ("profile", "told"),
    [
        ({"compute": 2}, "is named after 1 compute slices, and takes 2"),
        ({"memory": 4, "starts": [0]}, "is named after 32 GB, and 4 of 8 memory slices of 256 GB"),
        ({"starts": [8]}, "begins at 8 and takes 1 memory slices, and a GPU has 8"),
    ],
)
def test_facts_of_a_profile_that_contradict_its_name_or_the_board_are_told(
    profile: dict[str, Any], told: str
) -> None:
    small = {"compute": 1, "memory": 1, "max": 1, "starts": [0], **profile}
    facts = {
        "memory": "256Gi",
        "compute_capability": "11.0",
        "mig": {"compute_slices": 7, "memory_slices": 8, "profiles": {"1g.32gb": small}},
    }
    gpu = {"model": "X100", "facts": facts}
    (finding,) = judged(node_pools=[gpu_pool(gpu=gpu)])
    assert (finding.rule, told in finding.message) == ("gpu-facts-inconsistent", True)


def test_a_pool_without_gpus_is_not_told_which_gpus_to_name() -> None:
    pool = gpu_pool("train", mig=_own({"0-3": {"3g.40gb": 2}}))
    del pool["gpu"]
    assert "mig-gpu-numbers" not in {rule for rule, _ in places(judged(node_pools=[pool]))}


@pytest.mark.parametrize("model", ["", "X 900", "X=1 File=/dev/null", "\n", "ä"])
def test_a_model_of_the_sites_own_has_a_name_that_labels_and_slurm_can_hold(model: str) -> None:
    gpu = {"model": model, "facts": {"memory": "24Gi", "compute_capability": "8.9"}}
    found = places(judged(node_pools=[gpu_pool(gpu=gpu)]))
    assert ("gpu-model-malformed", "site.node_pools[0].gpu.model") in found


def test_units_that_print_other_names_of_profiles_are_told_so_by_the_site() -> None:
    profiles = {"1g.47gb": {"compute": 1, "memory": 2, "max": 4, "starts": [0, 2, 4, 6]}}
    facts = {
        "memory": "186Gi",
        "compute_capability": "10.0",
        "mig": {"compute_slices": 7, "memory_slices": 8, "profiles": profiles},
    }
    gpu = {"model": "GB200-186GB", "facts": facts}
    assert _found("all-1g.47gb", gpu=gpu) == []
    assert _found("all-1g.47gb", gpu={"model": "GB200-186GB"}) == [
        ("mig-names-vary", "site.node_pools[0].mig")
    ]
