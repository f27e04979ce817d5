"""What a tenant's other objects may not say: who made them, who may act, where they listen."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.objects.admission import AdmissionRule
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL
from pulumi_gpu_cluster.tenancy.makers import BY_A_CONTROLLER, SAYS_A_CONTROLLER_MADE_IT
from pulumi_gpu_cluster.workloads.jupyterhub.names import HUB_NAMESPACE

# Kinds that are not installed are matched by nothing. The list is longer than what members may
# create, for a site may give them more.
OWN_WORK: Final = AdmissionRule(
    name="gpu-cluster-own-work",
    resources=(
        ("apps", "deployments"),
        ("apps", "replicasets"),
        ("apps", "statefulsets"),
        ("batch", "cronjobs"),
        ("batch", "jobs"),
        ("batch.volcano.sh", "cronjobs"),
        ("batch.volcano.sh", "jobs"),
        ("jobset.x-k8s.io", "jobsets"),
        ("kubeflow.org", "mpijobs"),
        ("leaderworkerset.x-k8s.io", "leaderworkersets"),
        ("ray.io", "rayclusters"),
        ("ray.io", "rayjobs"),
        ("ray.io", "rayservices"),
        ("trainer.kubeflow.org", "trainjobs"),
    ),
    operations=("CREATE", "UPDATE"),
    namespace_label=TENANT_LABEL,
    condition=f"!({BY_A_CONTROLLER})",
    requires=(
        # What a controller made may be changed as long as it stays that controller's.
        "(request.operation == 'UPDATE' && object.metadata.?ownerReferences.orValue([])"
        " == oldObject.metadata.?ownerReferences.orValue([]))"
        f" || !{SAYS_A_CONTROLLER_MADE_IT}"
    ),
    message="'work may not claim that a controller made it: metadata.ownerReferences'",
    on_error="Fail",
)
"""Kueue leaves a job alone whose owner it manages (pkg/controller/jobframework): a job that names
another one as its owner, which the queue may never admit, would start at once."""

OWN_SUBJECTS: Final = AdmissionRule(
    name="gpu-cluster-own-subjects",
    resources=(("rbac.authorization.k8s.io", "rolebindings"),),
    operations=("CREATE", "UPDATE"),
    namespace_label=TENANT_LABEL,
    requires=(
        "object.?subjects.orValue([]).all(one, one.kind == 'ServiceAccount'"
        " ? one.?namespace.orValue('') in"
        f" [request.namespace, '{HUB_NAMESPACE}' + request.namespace]"
        " : !one.name.startsWith('system:'))"
    ),
    message=(
        "'rights here go to people and groups, and to programs of this namespace: not to service "
        "accounts of others, nor to anyone whose name starts with system:'"
    ),
    on_error="Fail",
)
"""Whoever binds `system:authenticated` opens the namespace to all, and whoever binds another
tenant's account gives that tenant a way around its own quota."""

NO_EXTERNAL_ADDRESSES: Final = AdmissionRule(
    name="gpu-cluster-no-external-addresses",
    resources=(("", "services"),),
    operations=("CREATE", "UPDATE"),
    namespace_label=TENANT_LABEL,
    requires="size(object.spec.?externalIPs.orValue([])) == 0",
    message="'a service may not take addresses outside the cluster: spec.externalIPs'",
    on_error="Fail",
)
"""Whoever sets them receives traffic that was meant for somebody else (CVE-2020-8554)."""

OBJECT_RULES: Final = (OWN_WORK, OWN_SUBJECTS, NO_EXTERNAL_ADDRESSES)
"""All of them."""
