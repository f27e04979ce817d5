"""The site file's section on the batch scheduler."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pulumi_gpu_cluster.section import DnsLabel, Duration, Section, Whole


class KueueArgs(Section):
    """How Kueue admits jobs."""

    wait_for_pods: Duration = "30m"
    """How long an admitted job has until all its pods are ready, images pulled; then it gives
    its quota back and queues again, first after a minute and then ever later: 90s, 30m, 2h."""

    retries: Whole | None = None
    """How often such a job queues again before it is taken out of the queue; by default for
    ever."""

    preempt: Literal["lower-priority", "never"] = "lower-priority"
    """Whether a job may push jobs of lower priority out of its own tenant's queue. What a queue
    has lent comes back in any case, whatever the priority."""


class VolcanoArgs(Section):
    """Actions and plugins of Volcano's scheduler. Gangs and priorities are always on."""

    share: Literal["capacity", "proportion"] = "capacity"
    """What a queue may claim back from those that borrowed. `capacity`: its tenant's guarantee.
    `proportion`: its part by weight of all that the cluster has, and at least the guarantee."""

    reclaim: bool = True
    """Whether what was borrowed from a queue is taken back, gangs included, when it needs it.
    Without it a guarantee is only kept once the borrowers' jobs end."""

    preempt: bool = False
    """Whether a job may push jobs of lower priority out of its own queue. Jobs over their queue's
    ceiling then have pods that wait, and that count against the tenant's quota of pods."""

    backfill: bool = True
    """Whether pods that request nothing may fill gaps."""

    placement: Literal["pack", "spread"] = "pack"
    """`pack`: fill nodes one after the other, so that whole nodes stay free for large jobs.
    `spread`: prefer the emptier node."""


class SchedulerArgs(Section):
    """Which scheduler holds the tenants' queues."""

    kind: Literal["kueue", "volcano"] = "kueue"
    """`kueue` admits jobs by quota and leaves placing to the default scheduler; `volcano` is a
    scheduler with gangs and hierarchical queues of its own."""

    namespace: DnsLabel | None = None
    """Namespace of the release; by default kueue-system or volcano-system."""

    kueue: KueueArgs = Field(default_factory=KueueArgs)
    """Settings of Kueue, with `kind: kueue`."""

    volcano: VolcanoArgs = Field(default_factory=VolcanoArgs)
    """Settings of Volcano, with `kind: volcano`."""

    jobset: bool = False
    """Whether JobSet is installed: several jobs that start, fail and end as one."""

    trainer: bool = False
    """Whether Kubeflow Trainer is installed, for distributed training with a TrainJob; brings
    JobSet with it, and the runtime `torch-distributed`."""

    @property
    def release_namespace(self) -> str:
        """The namespace that is really used."""
        return self.namespace or f"{self.kind}-system"

    @property
    def with_jobset(self) -> bool:
        """Whether JobSet is there, asked for or as a part of what is."""
        return self.jobset or self.trainer
