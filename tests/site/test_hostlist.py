"""Hostlists."""

from __future__ import annotations

import pytest

from pulumi_gpu_cluster.hostlist import MAX_NAMES, expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu1", ("gpu1",)),
        ("gpu[08-10]", ("gpu08", "gpu09", "gpu10")),
        ("gpu[1-2,7]", ("gpu1", "gpu2", "gpu7")),
        ("gpu[01-02],login1, st[3]", ("gpu01", "gpu02", "login1", "st3")),
        ("r[1-2]n[1-2]", ("r1n1", "r1n2", "r2n1", "r2n2")),
        ("n[9-11].lab.example", ("n9.lab.example", "n10.lab.example", "n11.lab.example")),
    ],
)
def test_a_hostlist_stands_for(text: str, names: tuple[str, ...]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is no name"),
        ("gpu1,", "'' is no name"),
        ("gpu[1-3", "the brackets do not match"),
        ("gpu1-3]", "the brackets do not match"),
        ("gpu[[1-3]]", "the brackets do not match"),
        ("gpu[]", "is no name"),
        ("gpu[a-c]", "'a-c' is no range"),
        ("gpu[3-1]", "the range 3-1 runs backwards"),
        ("gpu[1-3],gpu2", "gpu2 comes twice"),
        ("gpu[1-10000000]", f"more than {MAX_NAMES} names"),
        ("gpu[1-1000][1-1000]", f"more than {MAX_NAMES} names"),
        ("gpu[1-99999999999999999999]", "is no range"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="; ") as refused:
        expand(text)
    assert reason in str(refused.value)
