"""Helm's own records of a release, and which of them stand in the next run's way.

Helm keeps one Secret per revision. A killed run leaves one that says `pending-...`, and as long as
it is there Helm refuses every install and upgrade of that name. What the revision made carries
the release's name: a new install takes it over, a new upgrade goes on from the last deployed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

_PENDING: Final = "pending-"
_DEPLOYED: Final = "deployed"


@dataclass(frozen=True, slots=True, order=True)
class Record:
    """One revision of a release.

    Attributes:
        namespace: The release's namespace.
        name: The release's name.
        revision: Its number, from 1.
        status: deployed, superseded, failed, pending-install, pending-upgrade and the like.
        secret: Name of the Secret it lies in.
    """

    namespace: str
    name: str
    revision: int
    status: str
    secret: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done about a release.

    Attributes:
        remove: Records that stand in the way.
        installed: Whether the release stands in the cluster, complete, once they are gone.
    """

    remove: tuple[Record, ...]
    installed: bool


def records_of(secrets: Iterable[dict[str, Any]]) -> tuple[Record, ...]:
    """Reads Helm's Secrets, from their labels alone."""
    return tuple(
        sorted(
            Record(
                one["metadata"]["namespace"],
                one["metadata"]["labels"]["name"],
                int(one["metadata"]["labels"]["version"]),
                one["metadata"]["labels"]["status"],
                one["metadata"]["name"],
            )
            for one in secrets
            if one.get("type") == "helm.sh/release.v1"
        )
    )


def judge(records: Sequence[Record], *, in_state: bool) -> Verdict:
    """Judges the records of one release that is this stack's.

    Args:
        records: Its records, by revision.
        in_state: Whether the state has the release. If not, the next run installs it, and Helm
            refuses that while any record is left.
    """
    settled = list(records)
    while settled and settled[-1].status.startswith(_PENDING):
        settled.pop()
    installed = any(record.status == _DEPLOYED for record in settled)
    left = settled if in_state or installed else []
    return Verdict(tuple(record for record in records if record not in left), installed)
