"""MIG layouts: what boards can be cut into, and the proof by their placement tables."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gpu_cluster.catalog import mig
from pulumi_gpu_cluster.catalog.mig import MigBoard, boards, fits, instances_of, why_not

ALL = sorted(boards())


@pytest.mark.parametrize("name", ALL)
def test_every_named_layout_of_a_board_finds_its_place_on_it(name: str) -> None:
    board = boards()[name]
    for layout in board.layouts:
        instances = instances_of(board, layout)
        assert instances is not None, f"{layout} is listed and unknown"
        assert why_not(board, instances) is None, f"{layout} does not fit"


def test_balanced_is_two_small_one_middle_and_one_large_instance() -> None:
    assert instances_of(boards()["h100-80gb"], "all-balanced") == {
        "1g.10gb": 2,
        "2g.20gb": 1,
        "3g.40gb": 1,
    }
    assert instances_of(boards()["a30-24gb"], "all-balanced") == {"1g.6gb": 2, "2g.12gb": 1}
    assert instances_of(boards()["rtxpro5000-48gb"], "all-balanced") is None


def test_a_board_without_the_profiles_of_it_has_no_balanced_layout() -> None:
    one = mig.Profile("1g.10gb", 1, 1, 7, tuple(range(7)))
    told = MigBoard("told", 7, 8, 7, None, {one.name: one})
    assert instances_of(told, "all-balanced") is None
    assert told.layouts == ("all-disabled", "all-enabled", "all-1g.10gb")


def test_a_layout_fills_the_gpu_with_its_profile() -> None:
    board = boards()["a100-80gb"]
    assert instances_of(board, "all-3g.40gb") == {"3g.40gb": 2}
    assert instances_of(board, "all-1g.10gb") == {"1g.10gb": 7}
    assert instances_of(board, "all-1g.10gb.me") == {"1g.10gb+me": 1}
    assert instances_of(board, "all-disabled") == {}
    assert instances_of(board, "all-3g.20gb") is None
    assert instances_of(board, "3g.40gb") is None


@pytest.mark.parametrize(
    ("instances", "reason"),
    [
        ({"4g.40gb": 1, "3g.40gb": 1}, None),
        ({"3g.40gb": 1, "2g.20gb": 2}, None),
        ({"1g.20gb": 1, "1g.10gb": 5}, None),
        ({"3g.40gb": 2, "1g.10gb": 1}, "no placement"),
        ({"4g.40gb": 1, "2g.20gb": 2}, "8 compute slices, and a GPU has 7"),
        ({"1g.20gb": 4, "2g.20gb": 1}, "no placement"),
        ({"3g.40gb": 3}, "3 x 3g.40gb, and a GPU holds at most 2"),
        ({"1g.10gb": 7, "1g.10gb+me": 1}, "8 instances, and a GPU holds at most 7"),
        ({"3g.48gb": 1}, "the board has no profile 3g.48gb"),
    ],
)
def test_an_h100_holds_what_its_placement_table_allows(
    instances: Mapping[str, int], reason: str | None
) -> None:
    said = why_not(boards()["h100-80gb"], instances)
    assert (said is None) if reason is None else (said is not None and reason in said)


def test_only_one_instance_of_a_gpu_can_have_the_media_engines() -> None:
    said = why_not(boards()["a30-24gb"], {"1g.6gb+me": 1, "2g.12gb+me": 1})
    assert said == "2 instances with the media engines (+me), and only one can have them"


def _brute_force(board: MigBoard, instances: Mapping[str, int]) -> bool:
    """Tries every start for every instance, with no thought for how long it takes."""
    wanted = [board.profiles[name] for name, count in instances.items() for _ in range(count)]
    if len(wanted) > board.max_instances:
        return False
    if any(count > board.profiles[name].max_instances for name, count in instances.items()):
        return False
    if sum("+me" in profile.name for profile in wanted) > 1:
        return False
    if sum(profile.compute_slices for profile in wanted) > board.compute_slices:
        return False
    for starts in itertools.product(*(profile.starts for profile in wanted)):
        slices = [
            start + offset
            for start, profile in zip(starts, wanted, strict=True)
            for offset in range(profile.memory_slices)
        ]
        if len(slices) == len(set(slices)):
            return True
    return False


@st.composite
def _cuts(draw: st.DrawFn) -> tuple[MigBoard, dict[str, int]]:
    board = boards()[draw(st.sampled_from(ALL))]
    names = draw(st.lists(st.sampled_from(sorted(board.profiles)), min_size=1, max_size=5))
    return board, {name: names.count(name) for name in names}


@given(_cuts())
def test_the_search_agrees_with_trying_everything(cut: tuple[MigBoard, dict[str, int]]) -> None:
    board, instances = cut
    assert fits(board, instances) == _brute_force(board, instances)


@given(_cuts(), st.data())
def test_what_fits_still_fits_with_less(
    cut: tuple[MigBoard, dict[str, int]], data: st.DataObject
) -> None:
    board, instances = cut
    name = data.draw(st.sampled_from(sorted(instances)))
    fewer = {**instances, name: instances[name] - 1}
    assert fits(board, fewer) or not fits(board, instances)


def test_the_catalogue_says_what_the_facts_say(root: Path) -> None:
    facts = root.parent / "shared" / "facts" / "mig-profiles.json"
    if not facts.is_file():
        pytest.skip("the facts that the catalogue was condensed from are not here")
    raw = json.loads(facts.read_text())["gpus"]
    assert sorted(gpu["id"] for gpu in raw) == ALL
    for gpu in raw:
        board = boards()[gpu["id"]]
        assert (board.compute_slices, board.memory_slices, board.max_instances) == (
            gpu["compute_slices"],
            gpu["memory_slices"],
            gpu["max_instances"],
        )
        for profile in gpu["profiles"]:
            ours = board.profiles[profile["name"]]
            assert ours.starts == tuple(profile["placements"]["starts"])
            assert ours.memory_slices == profile["placements"]["size"]
            assert ours.compute_slices == profile["compute_slices"]
            assert ours.max_instances == profile["max_instances"]
            assert ours.layout == profile["config_name"]
            assert f"nvidia.com/mig-{ours.label}" == profile["resource_mixed"]


def test_every_board_says_where_it_was_read() -> None:
    assert all(board.sources for board in boards().values())
    assert mig.boards()["b200-180gb"].placements_by_analogy
