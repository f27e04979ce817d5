"""Keeps tenants from going around what holds them: the queue, the scheduler, the network."""

from __future__ import annotations

from typing import Final

import pulumi

from pulumi_gpu_cluster.kubernetes_names import OURS
from pulumi_gpu_cluster.objects.admission import AdmissionRule, admission_binding, admission_policy
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

TENANT_GUARD_TYPE: Final = "gpu-cluster:tenancy:TenantGuard"
"""Type token of the component; lives in users' state, so it never changes."""

# Controllers are service accounts of other namespaces; a tenant's own are the tenant.
_BY_A_CONTROLLER: Final = (
    "'system:masters' in request.userInfo.groups"
    " || request.userInfo.username == 'system:kube-controller-manager'"
    " || (request.userInfo.username.startsWith('system:serviceaccount:')"
    " && !request.userInfo.username.startsWith("
    "'system:serviceaccount:' + request.namespace + ':'))"
    " || request.userInfo.username.startsWith('system:node:')"
)

# source: kubernetes-sigs/kueue v0.19.2 pkg/controller/jobs/pod, pkg/controller/jobframework:
# pods that it takes for somebody else's, or for already admitted, it leaves alone.
OWN_PODS: Final = AdmissionRule(
    name="gpu-cluster-own-pods",
    resources=(("", "pods"),),
    operations=("CREATE",),
    namespace_label=TENANT_LABEL,
    condition=f"!({_BY_A_CONTROLLER})",
    requires=(
        "!has(object.spec.nodeName)"
        " && !(has(object.metadata.ownerReferences)"
        " && object.metadata.ownerReferences.exists(owner,"
        " has(owner.controller) && owner.controller))"
        " && !(has(object.metadata.annotations)"
        " && 'kueue.x-k8s.io/pod-suspending-parent' in object.metadata.annotations)"
    ),
    message="'a pod may not choose its node, nor claim that a controller made it'",
    on_error="Fail",
)
"""A pod that chose its node would pass the scheduler, and its taints and queues with it."""

KEPT_GATES: Final = AdmissionRule(
    name="gpu-cluster-kept-gates",
    resources=(("", "pods"),),
    operations=("UPDATE",),
    namespace_label=TENANT_LABEL,
    condition=f"!({_BY_A_CONTROLLER})",
    requires=(
        "object.spec.?schedulingGates.orValue([]) == oldObject.spec.?schedulingGates.orValue([])"
        " && object.metadata.?ownerReferences.orValue([])"
        " == oldObject.metadata.?ownerReferences.orValue([])"
        " && object.metadata.?labels[?'kueue.x-k8s.io/managed'].orValue('')"
        " == oldObject.metadata.?labels[?'kueue.x-k8s.io/managed'].orValue('')"
    ),
    message="'only the queue opens the gates of a pod'",
    on_error="Fail",
)
"""A member who could open a gate would let the job run that the queue holds back."""

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

NO_WAY_PAST_OUR_TAINTS: Final = AdmissionRule(
    name="gpu-cluster-no-way-past-our-taints",
    resources=(("", "pods"),),
    operations=("CREATE", "UPDATE"),
    namespace_label=TENANT_LABEL,
    requires=(
        # A pod that was there before this rule still ends, which takes updates of it.
        "(request.operation == 'UPDATE' && object.spec.?tolerations.orValue([])"
        " == oldObject.spec.?tolerations.orValue([]))"
        " || !object.spec.?tolerations.orValue([]).exists(one,"
        f" one.?key.orValue('') == '' || one.key.startsWith('{OURS}'))"
    ),
    message=(
        f"'a tenant may tolerate neither every taint nor those of {OURS}: they keep work off nodes "
        "that are not verified or being worked on; name the keys in spec.tolerations'"
    ),
    on_error="Fail",
)
"""Whoever made the pod: a job's controller makes it of what the tenant wrote into the job."""

RULES: Final = (OWN_PODS, KEPT_GATES, NO_EXTERNAL_ADDRESSES, NO_WAY_PAST_OUR_TAINTS)


class TenantGuard(KubernetesComponent):
    """Rules that the API server keeps in every tenant's namespace."""

    def __init__(self, name: str, *, opts: pulumi.ResourceOptions | None = None) -> None:
        """Sets the rules up, before any tenant is there.

        Args:
            name: Name of the component.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"rules": [rule.name for rule in RULES]}
        super().__init__(TENANT_GUARD_TYPE, name, props, opts)
        for rule in RULES:
            suffix = rule.name.removeprefix("gpu-cluster-")
            policy = admission_policy(f"{name}-{suffix}-policy", rule, self.child())
            admission_binding(f"{name}-{suffix}-binding", rule, self.child(after=[policy]))
        self.register_outputs(props)
