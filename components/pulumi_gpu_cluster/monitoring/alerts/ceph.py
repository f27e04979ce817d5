"""Alerts about a Ceph cluster, as its active manager tells of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from pulumi_gpu_cluster.monitoring.alerts.rule import Alert, Group
from pulumi_gpu_cluster.monitoring.alerts.volumes import volumes_given_up
from pulumi_gpu_cluster.monitoring.promql import CEPH_JOB, matchers

# source: Ceph documentation, health checks: mon_osd_nearfull_ratio, from which on Ceph itself
# warns. A pool's own numbers already hold back what its copies and pieces take, and what Ceph
# keeps free below its full ratio, so that 1 is the moment at which writing stops.
_NEARLY_FULL: Final = Fraction(85, 100)
_OF: Final = matchers(CEPH_JOB)
_HOW: Final = "kubectl get cephcluster --all-namespaces --output yaml says why, below status.ceph."


def ceph_alerts() -> Group:
    """What may go wrong with the data in Ceph, and with knowing of it."""
    return Group(
        "gpu-cluster-ceph",
        (_broken(), _degraded(), _nearly_full(), _osd_down(), _silent(), volumes_given_up()),
    )


def _broken() -> Alert:
    return Alert(
        "CephHealthError",
        f"max(ceph_health_status{_OF}) == 2",
        "critical",
        "Ceph reports an error",
        f"Data cannot be reached or written, or soon will not be. {_HOW}",
        hold="5m",
    )


def _degraded() -> Alert:
    return Alert(
        "CephHealthWarning",
        f"max(ceph_health_status{_OF}) == 1",
        "warning",
        "Ceph has warned for half an hour",
        "It usually mends itself sooner: something keeps it from doing so, and another failure "
        f"may stop the storage. {_HOW}",
        hold="30m",
    )


def _nearly_full() -> Alert:
    stored, left = f"ceph_pool_stored{_OF}", f"ceph_pool_max_avail{_OF}"
    full = f"max by (pool_id) ({stored}) / max by (pool_id) ({stored} + {left})"
    return Alert(
        "CephPoolNearlyFull",
        f"{_named(full, 'pool_id', 'name', 'ceph_pool_metadata')} > {float(_NEARLY_FULL)}",
        "warning",
        "Pool {{ $labels.name }} of Ceph is {{ $value | humanizePercentage }} full",
        "At 100% everything that writes to it stops, and then even deleting is hard. Delete data, "
        "lower tenants' storage quotas, or add disks.",
        hold="15m",
    )


def _osd_down() -> Alert:
    down = f"max by (ceph_daemon) (ceph_osd_up{_OF}) == 0"
    return Alert(
        "CephOsdDown",
        _named(down, "ceph_daemon", "hostname", "ceph_osd_metadata"),
        "warning",
        "{{ $labels.ceph_daemon }} on node {{ $labels.hostname }} is down",
        "The daemon of one disk does not answer. Its data is being copied to others as long as "
        "they have room. Look at its pod, and at the disk in the node's kernel log.",
        hold="5m",
    )


def _silent() -> Alert:
    return Alert(
        "CephStateUnknown",
        f"absent(ceph_health_status{_OF})",
        "critical",
        "Nothing is known of Ceph's state",
        "Its manager is not read, so no alert on storage can fire. Look at the pods of "
        "rook-ceph-mgr.",
        hold="10m",
    )


def _named(query: str, by: str, name: str, metadata: str) -> str:
    """Adds a name out of Ceph's metadata. A series without metadata is kept, without the name."""
    known = f"max by ({by}, {name}) ({metadata}{_OF})"
    value = f"({query}) * on ({by}) group_left ({name}) {known}"
    return f"({value} or on ({by}) ({query}))"
