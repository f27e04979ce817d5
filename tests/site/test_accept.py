"""Waivers: what they cover, how long, and what they never cover."""

from __future__ import annotations

import datetime as dt
from typing import Any

from made_site import judged, misshapen, places, tenant

SHARED = [
    tenant("ml-team", {"train": {"gpu": 1}}),
    tenant("vision", {"train": {"gpu": 1}}, group="ml-team"),
]
FOUND = ("group-shared", "site.tenants[1].group")


def _waiver(**changes: object) -> dict[str, Any]:
    rule, path = FOUND
    return {"rule": rule, "path": path, "reason": "two projects of one team", **changes}


def test_a_waiver_takes_its_finding_away() -> None:
    assert places(judged(tenants=SHARED)) == [FOUND]
    assert judged(tenants=SHARED, accept=[_waiver()]) == ()


def test_an_error_can_be_accepted_too() -> None:
    waiver = _waiver(rule="kubernetes-version-untested", path="site.control_plane.version")
    assert judged(control_plane={"version": "1.34.1"}, accept=[waiver]) == ()


def test_a_waiver_holds_through_its_last_day_and_not_longer() -> None:
    accept = [_waiver(until="2026-12-31")]
    assert judged(dt.date(2026, 12, 31), tenants=SHARED, accept=accept) == ()
    assert places(judged(dt.date(2027, 1, 1), tenants=SHARED, accept=accept)) == [
        ("accept-expired", "site.accept[0].until"),
        FOUND,
    ]


def test_a_day_without_quotes_is_understood_as_the_engine_hands_it_on() -> None:
    accept = [_waiver(until="2026-12-31 00:00:00 +0000 UTC")]
    assert judged(dt.date(2026, 12, 31), tenants=SHARED, accept=accept) == ()


def test_a_waiver_of_another_place_covers_nothing_and_says_so() -> None:
    accept = [_waiver(path="site.tenants[0].group")]
    assert places(judged(tenants=SHARED, accept=accept)) == [
        ("accept-unused", "site.accept[0]"),
        FOUND,
    ]


def test_what_guards_data_or_isolation_cannot_be_accepted() -> None:
    gone = [tenant("gone", state="removed")]
    accept = [_waiver(rule="tenant-removed-unconfirmed", path="site.tenants[0].confirm")]
    assert places(judged(tenants=gone, accept=accept)) == [
        ("accept-refused", "site.accept[0].rule"),
        ("tenant-removed-unconfirmed", "site.tenants[0].confirm"),
    ]


def test_an_unknown_rule_is_answered_with_those_that_can_be_accepted() -> None:
    (finding,) = judged(accept=[_waiver(rule="*")])
    assert finding.rule == "accept-unknown-rule"
    assert "kubernetes-version-untested" in finding.fix
    assert "name-taken" not in finding.fix


def test_a_reason_is_more_than_spaces() -> None:
    (finding,) = misshapen(accept=[_waiver(reason=" " * 20)])
    assert (finding.rule, finding.path) == ("too-short", "site.accept[0].reason")


def test_a_waiver_cannot_waive_what_is_said_about_waivers() -> None:
    accept = [_waiver(path="nowhere"), _waiver(rule="accept-unused", path="site.accept[0]")]
    assert places(judged(accept=accept)) == [
        ("accept-unknown-rule", "site.accept[1].rule"),
        ("accept-unused", "site.accept[0]"),
    ]
