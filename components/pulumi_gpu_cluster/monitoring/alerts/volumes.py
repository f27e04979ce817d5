"""The alert on volumes that outlive their claims, and so the quota that counted them."""

from __future__ import annotations

from pulumi_gpu_cluster.monitoring.alerts.rule import Alert
from pulumi_gpu_cluster.monitoring.promql import STATE_JOB, matchers
from pulumi_gpu_cluster.tenancy.labels import QUOTA


def volumes_given_up() -> Alert:
    """Released volumes that hold more than their tenant's quota, or whose tenant is gone.

    The label is `owner` and not `tenant`: a tenant cannot delete volumes, so it goes to those who
    can, whatever the tenant's contact.
    """
    released, hard = _released(), _quota("hard")
    past = f"{released} and on (owner) ({released} + {_quota('used')} > {hard})"
    return Alert(
        "VolumesGivenUp",
        f"({past}) or ({released} unless on (owner) {hard})",
        "warning",
        "Volumes that {{ $labels.owner }} gave up still hold {{ $value | humanize1024 }}B",
        "Whoever deletes a claim has its quota back, and the volume stays with its data, so that "
        "the disks fill past all quotas. Ask whose it was; kubectl get persistentvolumes shows "
        "those Released, and docs/operations.md how they go.",
        hold="1h",
    )


def _released() -> str:
    """Bytes of released volumes, by the namespace that had claimed them."""
    claimed = f"kube_persistentvolume_claim_ref{matchers(STATE_JOB)}"
    size = f"kube_persistentvolume_capacity_bytes{matchers(STATE_JOB)}"
    phase = f"kube_persistentvolume_status_phase{matchers(STATE_JOB, {'phase': 'Released'})}"
    each = (
        f"max by (persistentvolume, claim_namespace) ({claimed})"
        f" * on (persistentvolume) group_left () max by (persistentvolume) ({size})"
        f" and on (persistentvolume) (max by (persistentvolume) ({phase}) == 1)"
    )
    return f"sum by (owner) ({_owner(each, 'claim_namespace')})"


def _quota(kind: str) -> str:
    of = {"resource": "requests.storage", "resourcequota": QUOTA, "type": kind}
    return f"max by (owner) ({_owner(f'kube_resourcequota{matchers(STATE_JOB, of)}', 'namespace')})"


def _owner(query: str, namespace: str) -> str:
    return f'label_replace({query}, "owner", "$1", "{namespace}", "(.+)")'
