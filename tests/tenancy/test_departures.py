from __future__ import annotations

from typing import Any

import pytest
from graph_sites import Changes, site

from pulumi_gpu_cluster.tenancy.departures import departures, recorded_tenants

ACTIVE = {"ml": "active", "vision": "active"}


def _found(recorded: dict[str, str], changes: Changes | None = None) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in departures(recorded, site(changes))]


def test_tenants_that_stay_are_no_finding() -> None:
    assert not _found(ACTIVE)


def test_nothing_is_held_against_a_stack_that_never_ran() -> None:
    assert not _found({})


def test_an_entry_that_is_dropped_is_refused_with_the_words_to_use() -> None:
    (finding,) = departures({**ACTIVE, "old": "active"}, site())
    assert (finding.rule, finding.path) == ("tenant-dropped", "site.tenants")
    assert "tenant old" in finding.message
    assert "`state: leaving`" in finding.fix
    assert "`confirm: old`" in finding.fix
    assert not finding.waivable


def test_a_renamed_entry_is_told_that_a_namespace_cannot_be_renamed() -> None:
    (finding,) = departures({"ml": "active", "sight": "active"}, site())
    assert "vision would be a new, empty one" in finding.message


def test_an_entry_that_was_leaving_may_not_be_dropped_before_it_was_removed() -> None:
    assert _found({**ACTIVE, "old": "leaving"}) == [("tenant-dropped", "site.tenants")]


def test_an_entry_that_was_removed_may_be_dropped() -> None:
    assert not _found({**ACTIVE, "old": "removed"})


def test_a_tenant_leaves_before_it_is_removed() -> None:
    removed: Changes = {
        ("tenants", 1, "state"): "removed",
        ("tenants", 1, "confirm"): "vision",
    }
    assert _found(ACTIVE, removed) == [("tenant-not-leaving", "site.tenants[1].state")]
    assert not _found({**ACTIVE, "vision": "leaving"}, removed)
    assert not _found({**ACTIVE, "vision": "removed"}, removed)


@pytest.mark.parametrize(
    "outputs",
    [{}, {"tenants": None}, {"tenants": "secret"}, {"tenants": [{"name": "ml"}]}, {"tenants": 3}],
)
def test_outputs_of_another_shape_are_no_record(outputs: dict[str, Any]) -> None:
    assert recorded_tenants(outputs) == {}


def test_the_record_is_read_from_the_stacks_outputs() -> None:
    outputs: dict[str, Any] = {"tenants": [{"name": "ml", "state": "active", "quota": {}}]}
    assert recorded_tenants(outputs) == {"ml": "active"}
