"""Drivers: order of versions, ends of branches."""

from __future__ import annotations

import datetime as dt

import pytest

from pulumi_gpu_cluster.catalog.drivers import branch_of, branches, is_older, qualified


@pytest.mark.parametrize(
    ("version", "than", "older"),
    [
        ("580.95.05", "580.173.02", True),
        ("580.173.02", "580.173.02", False),
        ("595.91.07", "580.173.02", False),
        ("570.211.01", "580", True),
        ("580.65.06", "580", False),
        ("575.57.08", "575.64", True),
    ],
)
def test_versions_compare_by_numbers_and_not_by_letters(
    version: str,
    than: str,
    older: bool,  # noqa: FBT001 - pytest passes it by name
) -> None:
    assert is_older(version, than) is older


def test_a_branch_lives_through_the_last_day_of_its_last_month() -> None:
    branch = branches()[580]
    assert not branch.is_over(dt.date(2028, 6, 30))
    assert branch.is_over(dt.date(2028, 7, 1))


def test_a_branch_that_had_ended_when_the_facts_were_read_is_over_at_any_date() -> None:
    assert branches()[550].is_over(dt.date(2020, 1, 1))


def test_every_qualified_driver_is_of_a_known_branch() -> None:
    assert qualified()
    assert {branch_of(version) for version in qualified()} <= set(branches())
