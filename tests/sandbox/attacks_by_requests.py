"""What a tenant's people might ask of the API server: others' things, and their own bounds."""

from __future__ import annotations

from typing import Any, Final

from attack import OTHER, OWN, RBAC, Attack, manifest, pod

_NET: Final = "/apis/networking.k8s.io/v1/namespaces/ml-team/networkpolicies"
_QUEUES: Final = "/apis/kueue.x-k8s.io/v1beta2"
_ADMISSION: Final = "/apis/admissionregistration.k8s.io/v1"
_BINDINGS: Final = f"{RBAC}/namespaces/ml-team/rolebindings"
_API: Final = "rbac.authorization.k8s.io/v1"
_EVERYTHING: Final = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
_MEMBER: Final = {
    "apiGroup": "rbac.authorization.k8s.io",
    "kind": "Role",
    "name": "gpu-cluster-member",
}


def _binding(role: dict[str, str], *subjects: dict[str, str]) -> dict[str, Any]:
    return manifest(_API, "RoleBinding", roleRef=role, subjects=list(subjects))


def _cluster_role(name: str) -> dict[str, str]:
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}


def _somebody(kind: str, name: str, **more: str) -> dict[str, str]:
    api = {} if kind == "ServiceAccount" else {"apiGroup": "rbac.authorization.k8s.io"}
    return {"kind": kind, "name": name, **api, **more}


OTHERS: Final = (
    Attack("lists another tenant's pods", "GET", f"{OTHER}/pods"),
    Attack("lists everybody's pods", "GET", "/api/v1/pods"),
    Attack("reads another tenant's secrets", "GET", f"{OTHER}/secrets"),
    Attack("reads another tenant's logs", "GET", f"{OTHER}/pods/train-0/log"),
    Attack("runs a command in another tenant's pod", "POST", f"{OTHER}/pods/train-0/exec"),
    Attack("opens a port of another tenant's pod", "POST", f"{OTHER}/pods/train-0/portforward"),
    Attack("starts a pod as another tenant", "POST", f"{OTHER}/pods", body=pod()),
    Attack("evicts another tenant's pod", "POST", f"{OTHER}/pods/train-0/eviction", body={}),
    Attack("reads secrets of kube-system", "GET", "/api/v1/namespaces/kube-system/secrets"),
    Attack("starts a pod in kube-system", "POST", "/api/v1/namespaces/kube-system/pods",
           body=pod()),
    Attack("reads the operator's settings", "GET", "/api/v1/namespaces/gpu-operator/configmaps"),
    Attack("reads others' places in the queues", "GET", f"{_QUEUES}/clusterqueues"),
    Attack("acts as the cluster's administrator", "GET", "/api/v1/nodes",
           headers={"Impersonate-User": "admin", "Impersonate-Group": "system:masters"}),
)  # fmt: skip

CLUSTER: Final = (
    Attack("reads nodes and their labels", "GET", "/api/v1/nodes"),
    Attack("labels a node for itself", "PATCH", "/api/v1/nodes/gpu01",
           body={"metadata": {"labels": {"gpu-cluster.io/pool": "mine"}}}),
    Attack("takes a node's taints off", "PATCH", "/api/v1/nodes/gpu01",
           body={"spec": {"taints": None}}),
    Attack("speaks to a kubelet through the API server", "GET", "/api/v1/nodes/gpu01/proxy/pods"),
    Attack("reads the API server's metrics", "GET", "/metrics"),
    Attack("makes a namespace", "POST", "/api/v1/namespaces", body=manifest("v1", "Namespace")),
    Attack("makes a ClusterRole", "POST", f"{RBAC}/clusterroles",
           body=manifest(_API, "ClusterRole", rules=_EVERYTHING)),
    Attack("makes itself cluster-admin", "POST", f"{RBAC}/clusterrolebindings",
           body=manifest(_API, "ClusterRoleBinding", roleRef=_cluster_role("cluster-admin"),
                         subjects=[_somebody("Group", "ml-team")])),
    Attack("makes a PriorityClass", "POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
           body=manifest("scheduling.k8s.io/v1", "PriorityClass", value=999999)),
    Attack("makes a RuntimeClass", "POST", "/apis/node.k8s.io/v1/runtimeclasses",
           body=manifest("node.k8s.io/v1", "RuntimeClass", handler="nvidia")),
    Attack("makes a StorageClass", "POST", "/apis/storage.k8s.io/v1/storageclasses",
           body=manifest("storage.k8s.io/v1", "StorageClass", provisioner="example.com/x")),
    Attack("makes a volume of a node's disk", "POST", "/api/v1/persistentvolumes",
           body=manifest("v1", "PersistentVolume", spec={
               "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
               "hostPath": {"path": "/"}})),
    Attack("defines a new kind", "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
           body={}),
    Attack("puts a webhook before the API server", "POST",
           f"{_ADMISSION}/mutatingwebhookconfigurations", body={}),
    Attack("removes an admission rule that holds it", "DELETE",
           f"{_ADMISSION}/validatingadmissionpolicybindings/gpu-cluster-own-pods"),
    Attack("asks for a certificate in another's name", "POST",
           "/apis/certificates.k8s.io/v1/certificatesigningrequests", body={}),
    Attack("changes which driver its nodes run", "PATCH",
           "/apis/nvidia.com/v1alpha1/nvidiadrivers/train", body={"spec": {"version": "1"}}),
)  # fmt: skip

BOUNDS: Final = (
    Attack("raises its quota", "PATCH", f"{OWN}/resourcequotas/gpu-cluster",
           body={"spec": {"hard": {"requests.nvidia.com/gpu": "1000"}}}),
    Attack("deletes its quota", "DELETE", f"{OWN}/resourcequotas/gpu-cluster"),
    Attack("deletes its LimitRange", "DELETE", f"{OWN}/limitranges/gpu-cluster"),
    Attack("opens its network", "POST", _NET,
           body=manifest("networking.k8s.io/v1", "NetworkPolicy",
                         spec={"podSelector": {}, "ingress": [{}], "egress": [{}]})),
    Attack("deletes the policy that closes its network", "DELETE", f"{_NET}/default-deny"),
    Attack("lifts Pod Security off its namespace", "PATCH", OWN,
           body={"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}}}),
    Attack("takes the tenant's label off its namespace", "PATCH", OWN,
           body={"metadata": {"labels": {"gpu-cluster.io/tenant": None}}}),
    Attack("deletes its namespace", "DELETE", OWN),
    Attack("makes a queue of its own with more in it", "POST", f"{_QUEUES}/clusterqueues",
           body=manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue")),
    Attack("points a LocalQueue at another tenant's queue", "POST",
           f"{_QUEUES}/namespaces/ml-team/localqueues",
           body=manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", spec={"clusterQueue": "vision"})),
    Attack("admits its own Workload", "PATCH",
           f"{_QUEUES}/namespaces/ml-team/workloads/job-x/status",
           body={"status": {"admission": {"clusterQueue": "vision"}}}),
    Attack("makes a ServiceAccount", "POST", f"{OWN}/serviceaccounts",
           body=manifest("v1", "ServiceAccount")),
    Attack("asks for a ServiceAccount's token", "POST", f"{OWN}/serviceaccounts/default/token",
           body=manifest("authentication.k8s.io/v1", "TokenRequest", spec={})),
    Attack("gives rights in its namespace", "POST", _BINDINGS,
           body=_binding(_MEMBER, _somebody("User", "friend"))),
    Attack("gives itself cluster-admin in its namespace, as an admin", "POST", _BINDINGS,
           body=_binding(_cluster_role("cluster-admin"), _somebody("User", "mallory")), admin=True),
    Attack("makes a Role that may everything, as an admin", "POST",
           f"{RBAC}/namespaces/ml-team/roles",
           body=manifest(_API, "Role", rules=_EVERYTHING), admin=True),
    Attack("widens the members' Role, as an admin", "PATCH",
           f"{RBAC}/namespaces/ml-team/roles/gpu-cluster-member",
           body={"rules": _EVERYTHING}, admin=True),
    Attack("raises its quota, as an admin", "PATCH", f"{OWN}/resourcequotas/gpu-cluster",
           body={"spec": {"hard": {"requests.nvidia.com/gpu": "1000"}}}, admin=True),
    Attack("gives rights in another tenant's namespace, as an admin", "POST",
           f"{RBAC}/namespaces/vision/rolebindings",
           body=_binding(_MEMBER, _somebody("User", "mallory")), admin=True),
    Attack("lets everybody in, as an admin", "POST", _BINDINGS, "gpu-cluster-own-subjects",
           _binding(_MEMBER, _somebody("Group", "system:authenticated")), admin=True),
    Attack("lets another namespace's ServiceAccount in, as an admin", "POST", _BINDINGS,
           "gpu-cluster-own-subjects",
           _binding(_MEMBER, _somebody("ServiceAccount", "default", namespace="vision")),
           admin=True),
)  # fmt: skip
