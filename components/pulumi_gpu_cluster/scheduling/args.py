"""The site file's section on the batch scheduler."""

from __future__ import annotations

from typing import Literal

from pulumi_gpu_cluster.section import DnsLabel, Section


class SchedulerArgs(Section):
    """Which scheduler holds the tenants' queues."""

    kind: Literal["kueue", "volcano"] = "kueue"
    """`kueue` admits jobs by quota and leaves placing to the default scheduler; `volcano` is a
    scheduler with gangs and hierarchical queues of its own."""

    namespace: DnsLabel | None = None
    """Namespace of the release; by default kueue-system or volcano-system."""

    @property
    def release_namespace(self) -> str:
        """The namespace that is really used."""
        return self.namespace or f"{self.kind}-system"
