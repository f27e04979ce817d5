"""Keeps tenants to their own queues."""

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
