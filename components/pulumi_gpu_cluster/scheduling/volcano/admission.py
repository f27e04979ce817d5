"""Keeps tenants to their own queues, and queues for as long as something runs in them."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.objects.admission import AdmissionRule
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

_TENANT: Final = f"namespaceObject.metadata.labels['{TENANT_LABEL}']"

OWN_QUEUES: Final = AdmissionRule(
    name="gpu-cluster-own-queues",
    resources=(("batch.volcano.sh", "jobs"), ("scheduling.volcano.sh", "podgroups")),
    operations=("CREATE", "UPDATE"),
    namespace_label=TENANT_LABEL,
    # Neither tenants' nor pools' names have dots.
    requires=f"has(object.spec.queue) && object.spec.queue.startsWith({_TENANT} + '.')",
    message=f"'the queue must be one of this tenant: ' + {_TENANT} + '.<pool>'",
    on_error="Fail",
)
"""In a tenant's namespace only that tenant's queues may be named. Volcano lets a job name any, so
without this a tenant could run on another's guarantee."""

OWN_SCHEDULER: Final = AdmissionRule(
    name="gpu-cluster-own-scheduler",
    resources=(("", "pods"),),
    operations=("CREATE",),
    namespace_label=TENANT_LABEL,
    requires="object.spec.schedulerName == 'volcano'",
    message="'pods of tenants need spec.schedulerName: volcano'",
    on_error="Fail",
)
"""Another scheduler knows no queue, and would place a tenant's pods past every guarantee."""

_PODS: Final = "oldObject.status.allocated['pods']"

BUSY_QUEUES: Final = AdmissionRule(
    name="gpu-cluster-busy-queues",
    resources=(("scheduling.volcano.sh", "queues"),),
    operations=("DELETE",),
    condition=(
        "has(oldObject.status) && has(oldObject.status.allocated) && "
        "'pods' in oldObject.status.allocated"
    ),
    requires=f"quantity(string({_PODS})).compareTo(quantity('0')) == 0",
    message=f"'pods still run in the queue: ' + string({_PODS}) + '; let their jobs end first'",
    on_error="Fail",
)
"""A queue that goes while groups run in it, and comes again under its name, closes at once and
takes no job for as long as they run (volcano-sh/volcano issue 5960)."""
