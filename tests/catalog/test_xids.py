"""XIDs: which take a GPU out of service, and which are a program's own."""

from __future__ import annotations

from typing import get_args

from pulumi_gpu_cluster.catalog.xids import Remedy, application_xids, fatal_xids, xids


def test_a_gpu_that_left_the_bus_or_lost_memory_is_out_of_service() -> None:
    assert {48, 63, 64, 79, 95, 119} & set(fatal_xids()) == {48, 64, 79, 95, 119}


def test_a_programs_page_fault_is_its_own_and_takes_no_gpu_out_of_service() -> None:
    assert {13, 31, 43} & set(application_xids()) == {13, 31}
    assert not set(fatal_xids()) & set(application_xids())


def test_where_catalogue_and_device_plugin_disagree_the_gpu_stays_in_service() -> None:
    assert xids()[109].remedy == "gpu-reset"
    assert not xids()[109].is_fatal


def test_every_number_up_to_the_last_is_there_with_a_remedy_and_a_source() -> None:
    assert sorted(xids()) == list(range(1, 177))
    assert {xid.remedy for xid in xids().values()} == set(get_args(Remedy))
    assert all(xid.sources for xid in xids().values())
