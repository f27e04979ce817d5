"""Which of Helm's records go: each case is a release's history."""

from __future__ import annotations

import pytest

from pulumi_gpu_cluster.operations.recover.releases import Record, judge, records_of


def history(*statuses: str) -> list[Record]:
    return [
        Record("home", "kueue", number, status, f"sh.helm.release.v1.kueue.v{number}")
        for number, status in enumerate(statuses, 1)
    ]


@pytest.mark.parametrize(
    ("statuses", "removed", "installed"),
    [
        (("deployed",), [], True),
        (("superseded", "deployed"), [], True),
        (("deployed", "pending-upgrade"), [2], True),
        (("deployed", "failed", "pending-rollback"), [3], True),
        (("deployed", "pending-upgrade", "pending-upgrade"), [2, 3], True),
        (("deployed", "failed"), [], True),
        (("failed",), [], False),
        # Between two writes of Helm's: the next upgrade takes the superseded one for its base.
        (("superseded", "pending-upgrade"), [2], False),
        (("pending-install",), [1], False),
    ],
)
def test_of_a_release_in_the_state_only_what_is_pending_goes(
    statuses: tuple[str, ...], removed: list[int], *, installed: bool
) -> None:
    verdict = judge(history(*statuses), in_state=True)
    assert [record.revision for record in verdict.remove] == removed
    assert verdict.installed is installed


@pytest.mark.parametrize(
    ("statuses", "removed", "installed"),
    [
        (("pending-install",), [1], False),
        (("failed",), [1], False),
        (("uninstalling",), [1], False),
        (("failed", "pending-install"), [1, 2], False),
        (("deployed",), [], True),
        (("deployed", "pending-upgrade"), [2], True),
    ],
)
def test_of_a_release_that_the_state_lacks_everything_goes_unless_it_stands(
    statuses: tuple[str, ...], removed: list[int], *, installed: bool
) -> None:
    verdict = judge(history(*statuses), in_state=False)
    assert [record.revision for record in verdict.remove] == removed
    assert verdict.installed is installed


def test_records_are_read_from_labels_in_the_order_of_their_revisions() -> None:
    def secret(version: str, status: str, kind: str = "helm.sh/release.v1") -> dict[str, object]:
        labels = {"owner": "helm", "name": "kueue", "version": version, "status": status}
        name = f"sh.helm.release.v1.kueue.v{version}"
        return {
            "type": kind,
            "metadata": {"name": name, "namespace": "home", "labels": labels},
            "data": {"release": "never read"},
        }

    found = records_of(
        [secret("10", "deployed"), secret("9", "superseded"), secret("1", "failed", "Opaque")]
    )
    assert [(one.revision, one.status) for one in found] == [(9, "superseded"), (10, "deployed")]
