"""Alerts on Ceph, as promtool evaluates them on what its manager tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prometheus_checks import expect, promtool, rehearsal, rehearse, run, write_rules

from pulumi_gpu_cluster.monitoring.alerts.ceph import ceph_alerts

GROUP = ceph_alerts()
Series = dict[str, str]
_OF = 'job="rook-ceph-mgr", instance="10.0.0.7:9283"'
_WELL: Series = {f"ceph_health_status{{{_OF}}}": "0x90"}
_GIB = 2**30
STATE = 'job="kube-state-metrics"'
SIZE = "{{ $value | humanize1024 }}"


def _rehearse(folder: Path, series: Series, *expectations: dict[str, Any]) -> None:
    rehearse(folder, [GROUP], [rehearsal({**_WELL, **series}, *expectations)])


def _osds(values: dict[int, str]) -> Series:
    series: Series = {}
    for number, told in values.items():
        daemon = f'{_OF}, ceph_daemon="osd.{number}"'
        series[f"ceph_osd_up{{{daemon}}}"] = told
        series[f'ceph_osd_metadata{{{daemon}, hostname="st{number}", device_class="ssd"}}'] = "1x90"
    return series


def _pool(number: int, name: str, stored: str, left: str) -> Series:
    pool = f'{_OF}, pool_id="{number}"'
    return {
        f"ceph_pool_stored{{{pool}}}": stored,
        f"ceph_pool_max_avail{{{pool}}}": left,
        f'ceph_pool_metadata{{{pool}, name="{name}", type="replicated"}}': "1x90",
    }


def test_promtool_finds_nothing_wrong_with_the_rules_on_ceph(tmp_path: Path) -> None:
    assert "6 rules found" in run(promtool(), "check", "rules", write_rules(tmp_path, [GROUP]))


def test_a_ceph_in_error_is_told_after_five_minutes_and_no_more_once_it_is_well(
    tmp_path: Path,
) -> None:
    _rehearse(
        tmp_path,
        {f"ceph_health_status{{{_OF}}}": "0x5 2x3 0x5 2x20 0x30"},
        expect(GROUP, "CephHealthError", "8m"),
        expect(GROUP, "CephHealthError", "25m", {}),
        expect(GROUP, "CephHealthError", "45m"),
    )


def test_a_warning_is_told_only_where_ceph_does_not_mend_it_by_itself(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {f"ceph_health_status{{{_OF}}}": "1x20 0x5 1x60"},
        expect(GROUP, "CephHealthWarning", "20m"),
        expect(GROUP, "CephHealthWarning", "60m", {}),
        expect(GROUP, "CephHealthError", "60m"),
    )


def test_a_manager_that_takes_over_is_neither_a_second_alert_nor_silence(tmp_path: Path) -> None:
    other = _OF.replace("10.0.0.7", "10.0.0.9")
    _rehearse(
        tmp_path,
        {
            f"ceph_health_status{{{_OF}}}": "2x20 _x60",
            f"ceph_health_status{{{other}}}": "_x19 2x60",
        },
        expect(GROUP, "CephHealthError", "30m", {}),
        expect(GROUP, "CephStateUnknown", "40m"),
    )


def test_a_disk_that_is_down_is_told_with_its_node_and_the_others_are_not(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        _osds({0: "1x90", 3: "1x10 0x40 1x20"}),
        expect(GROUP, "CephOsdDown", "12m"),
        expect(GROUP, "CephOsdDown", "30m", {"ceph_daemon": "osd.3", "hostname": "st3"}),
        expect(GROUP, "CephOsdDown", "60m"),
    )


def test_a_disk_of_which_nothing_more_is_known_is_told_all_the_same(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {f'ceph_osd_up{{{_OF}, ceph_daemon="osd.3"}}': "0x60"},
        expect(
            GROUP,
            "CephOsdDown",
            "30m",
            {"ceph_daemon": "osd.3"},
            text={"{{ $labels.hostname }}": ""},
        ),
    )


def test_a_pool_is_told_at_85_percent_of_what_it_may_hold_with_all_its_copies(
    tmp_path: Path,
) -> None:
    # What is left is what Ceph says after copies and reserve.
    full = {"pool_id": "2", "name": "files-data"}
    _rehearse(
        tmp_path,
        {
            **_pool(1, "block", f"{84 * _GIB}x60", f"{16 * _GIB}x60"),
            **_pool(2, "files-data", f"{90 * _GIB}x60", f"{10 * _GIB}x30 {60 * _GIB}x30"),
        },
        expect(GROUP, "CephPoolNearlyFull", "10m"),
        expect(
            GROUP,
            "CephPoolNearlyFull",
            "25m",
            full,
            text={"{{ $value | humanizePercentage }}": "90%"},
        ),
        expect(GROUP, "CephPoolNearlyFull", "50m"),
    )


@pytest.mark.parametrize("job", ["ml-team/metrics", "rook-ceph-exporter"])
def test_what_another_than_cephs_manager_says_counts_for_nothing(tmp_path: Path, job: str) -> None:
    forged = _OF.replace("rook-ceph-mgr", job)
    _rehearse(
        tmp_path,
        {
            f"ceph_health_status{{{forged}}}": "2x60",
            f'ceph_osd_up{{{forged}, ceph_daemon="osd.3"}}': "0x60",
        },
        expect(GROUP, "CephHealthError", "30m"),
        expect(GROUP, "CephOsdDown", "30m"),
    )


def test_a_ceph_that_is_not_read_is_an_alert_itself(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {f"ceph_health_status{{{_OF}}}": "", "up": "1x60"},
        expect(GROUP, "CephStateUnknown", "5m"),
        expect(GROUP, "CephStateUnknown", "20m", {"job": "rook-ceph-mgr"}),
    )


def test_volumes_that_a_tenant_gave_up_are_told_once_they_take_it_past_its_quota(
    tmp_path: Path,
) -> None:
    _rehearse(
        tmp_path,
        {
            # ml gives up 60 of 100Gi and claims 60 anew; vision keeps within its quota.
            **_volume("old", "ml", "Released", 60),
            **_volume("new", "ml", "Bound", 60),
            **_volume("spare", "vision", "Released", 20),
            **_quota("ml", hard=100, used=60),
            **_quota("vision", hard=100, used=50),
        },
        expect(GROUP, "VolumesGivenUp", "59m"),
        expect(GROUP, "VolumesGivenUp", "70m", {"owner": "ml"}, text={SIZE: "60Gi"}),
    )


def test_volumes_of_a_tenant_that_is_gone_are_told_however_small(tmp_path: Path) -> None:
    _rehearse(
        tmp_path,
        {
            **_volume("left", "alumni", "Released", 1),
            **_volume("more", "alumni", "Released", 2),
            **_volume("kept", "slurm", "Bound", 20),
            **_quota("ml", hard=100, used=60),
        },
        expect(GROUP, "VolumesGivenUp", "70m", {"owner": "alumni"}, text={SIZE: "3Gi"}),
    )


def _volume(name: str, namespace: str, phase: str, gibi: int) -> Series:
    of = f'{STATE}, persistentvolume="{name}"'
    phases = ("Available", "Bound", "Failed", "Pending", "Released")
    return {
        f'kube_persistentvolume_claim_ref{{{of}, name="c", claim_namespace="{namespace}"}}': "1x90",
        f"kube_persistentvolume_capacity_bytes{{{of}}}": f"{gibi * _GIB}x90",
        **{
            f'kube_persistentvolume_status_phase{{{of}, phase="{one}"}}': f"{int(one == phase)}x90"
            for one in phases
        },
    }


def _quota(tenant: str, **amounts: int) -> Series:
    of = f'{STATE}, namespace="{tenant}", resourcequota="gpu-cluster"'
    return {
        f'kube_resourcequota{{{of}, resource="requests.storage", type="{kind}"}}': (
            f"{gibi * _GIB}x90"
        )
        for kind, gibi in amounts.items()
    }
