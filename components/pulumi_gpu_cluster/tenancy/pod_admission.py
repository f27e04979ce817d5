"""What a tenant's pods may not say about themselves."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.kubernetes_names import OURS
from pulumi_gpu_cluster.objects.admission import AdmissionRule
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL
from pulumi_gpu_cluster.tenancy.makers import BY_A_CONTROLLER, SAYS_A_CONTROLLER_MADE_IT

# source: kubernetes-sigs/kueue v0.19.2 pkg/controller/jobs/pod, pkg/controller/jobframework:
# pods that it takes for somebody else's, or for already admitted, it leaves alone.
OWN_PODS: Final = AdmissionRule(
    name="gpu-cluster-own-pods",
    resources=(("", "pods"),),
    operations=("CREATE",),
    namespace_label=TENANT_LABEL,
    condition=f"!({BY_A_CONTROLLER})",
    requires=(
        f"!{SAYS_A_CONTROLLER_MADE_IT}"
        " && !(has(object.metadata.annotations)"
        " && 'kueue.x-k8s.io/pod-suspending-parent' in object.metadata.annotations)"
    ),
    message="'a pod may not claim that a controller made it'",
    on_error="Fail",
)
"""Such a pod would run although the queue never admitted it."""

KEPT_GATES: Final = AdmissionRule(
    name="gpu-cluster-kept-gates",
    resources=(("", "pods"),),
    operations=("UPDATE",),
    namespace_label=TENANT_LABEL,
    condition=f"!({BY_A_CONTROLLER})",
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

NO_CHOSEN_NODE: Final = AdmissionRule(
    name="gpu-cluster-no-chosen-node",
    resources=(("", "pods"),),
    operations=("CREATE",),
    namespace_label=TENANT_LABEL,
    # Kubelets make the mirrors of what is written on their node.
    condition=(
        "!('system:masters' in request.userInfo.groups"
        " || request.userInfo.username.startsWith('system:node:'))"
    ),
    requires="object.spec.?nodeName.orValue('') == ''",
    message="'a pod may not choose its node: spec.nodeName'",
    on_error="Fail",
)
"""A pod that chose its node passes the scheduler, and its taints and queues with it. Controllers
are not exempt: a job's makes the pod of what the tenant wrote into the job. That of daemon sets
chooses by affinity."""

# source: kubernetes/api core/v1 Volume; those that the kubelet itself fetches or mounts.
_FROM_THE_NODES_NETWORK: Final = (
    "cephfs",
    "fc",
    "flexVolume",
    "gitRepo",
    "glusterfs",
    "iscsi",
    "nfs",
    "rbd",
)

NO_VOLUMES_PAST_THE_NETWORK: Final = AdmissionRule(
    name="gpu-cluster-no-volumes-past-the-network",
    resources=(("", "pods"),),
    operations=("CREATE",),
    namespace_label=TENANT_LABEL,
    requires=(
        "!object.spec.?volumes.orValue([]).exists(one, "
        + " || ".join(f"has(one.{kind})" for kind in _FROM_THE_NODES_NETWORK)
        + ")"
    ),
    message=(
        "'a tenant has volumes by claim only, and not "
        + ", ".join(_FROM_THE_NODES_NETWORK)
        + ": spec.volumes'"
    ),
    on_error="Fail",
)
"""The node mounts them from its own network, where no NetworkPolicy holds and no storage server
asks who the pod is: whoever knows a server's name reads what others keep there."""

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

POD_RULES: Final = (
    OWN_PODS,
    KEPT_GATES,
    NO_CHOSEN_NODE,
    NO_VOLUMES_PAST_THE_NETWORK,
    NO_WAY_PAST_OUR_TAINTS,
)
"""All of them."""
