"""What a tenant's people might write into their pods, jobs and services."""

from __future__ import annotations

from typing import Any, Final

from attack import OWN, POD_SECURITY, RIGHTS, Attack, manifest, pod

_PODS: Final = f"{OWN}/pods"
_GPU: Final = "nvidia.com/gpu"
_ON_HOST: Final[dict[str, Any]] = {"name": "host", "hostPath": {"path": "/dev"}}


def _pod(title: str, stopped_by: str, **content: Any) -> Attack:
    return Attack(f"a pod that {title}", "POST", _PODS, stopped_by, pod(**content))


def _limits(**more: str) -> dict[str, Any]:
    return {"resources": {"limits": {"cpu": "1", "memory": "1Gi", **more}}}


def _volume(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "outside", **source}]}


HOST: Final = (
    _pod("is privileged", POD_SECURITY, container={"securityContext": {"privileged": True}}),
    _pod("mounts the host's devices", POD_SECURITY, volumes=[_ON_HOST]),
    _pod("is on the host's network", POD_SECURITY, hostNetwork=True),
    _pod("sees the host's processes", POD_SECURITY, hostPID=True),
    _pod("shares the host's memory", POD_SECURITY, hostIPC=True),
    _pod("takes a port of the host", POD_SECURITY,
         container={"ports": [{"containerPort": 80, "hostPort": 80}]}),
    _pod("takes a capability", POD_SECURITY,
         container={"securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}}),
    _pod("goes without seccomp", POD_SECURITY,
         container={"securityContext": {"seccompProfile": {"type": "Unconfined"}}}),
    _pod("sets a sysctl of the kernel", POD_SECURITY,
         securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
    _pod("mounts NFS past the network policy", "gpu-cluster-no-volumes-past-the-network",
         **_volume(nfs={"server": "10.0.0.1", "path": "/"})),
    _pod("mounts iSCSI past the network policy", "gpu-cluster-no-volumes-past-the-network",
         **_volume(iscsi={"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:x",
                          "lun": 0})),
)  # fmt: skip

QUEUE: Final = (
    _pod("chooses its node", "gpu-cluster-no-chosen-node", nodeName="gpu01"),
    _pod("tolerates every taint", "gpu-cluster-no-way-past-our-taints",
         tolerations=[{"operator": "Exists"}]),
    _pod("tolerates nodes that no gate has passed", "gpu-cluster-no-way-past-our-taints",
         tolerations=[{"key": "gpu-cluster.io/unverified", "operator": "Exists"}]),
    _pod("has the priority of Kubernetes' own", "gpu-cluster-no-system-priority",
         priorityClassName="system-node-critical"),
    _pod("keeps other tenants' pods off its node", "gpu-cluster-no-foreign-affinity",
         affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
             {"labelSelector": {}, "namespaces": ["vision"],
              "topologyKey": "kubernetes.io/hostname"}]}}),
    _pod("says that a job made it", "gpu-cluster-own-pods",
         metadata={"ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "mine",
                                        "uid": "0-0-0", "controller": True}]}),
    _pod("says that its parent waits for it", "gpu-cluster-own-pods",
         metadata={"annotations": {"kueue.x-k8s.io/pod-suspending-parent": "job"}}),
    _pod("asks for more GPUs than the ceiling", "exceeded quota: gpu-cluster",
         container=_limits(**{_GPU: "25"})),
    _pod("asks for more MIG slices than the ceiling", "exceeded quota: gpu-cluster",
         container=_limits(**{"nvidia.com/mig-3g.40gb": "9"})),
    _pod("asks for more memory than the ceiling", "exceeded quota: gpu-cluster",
         container=_limits(memory="100Ti")),
    Attack("a Job that says that a queue's object made it", "POST",
           "/apis/batch/v1/namespaces/ml-team/jobs", "gpu-cluster-own-work",
           {**manifest("batch/v1", "Job", spec={"template": {"spec": {
               "restartPolicy": "Never",
               "containers": [{"name": "main", "image": "example/image:1"}]}}}),
            "metadata": {"name": "sly", "ownerReferences": [
                {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "mine",
                 "uid": "0-0-0", "controller": True}]}}),
    Attack("a DaemonSet, which is on every node", "POST",
           "/apis/apps/v1/namespaces/ml-team/daemonsets", RIGHTS,
           manifest("apps/v1", "DaemonSet")),
    Attack("a PodDisruptionBudget that keeps a node from being emptied", "POST",
           "/apis/policy/v1/namespaces/ml-team/poddisruptionbudgets", RIGHTS,
           manifest("policy/v1", "PodDisruptionBudget")),
    Attack("a ResourceClaim past the quota", "POST",
           "/apis/resource.k8s.io/v1/namespaces/ml-team/resourceclaims", RIGHTS,
           manifest("resource.k8s.io/v1", "ResourceClaim")),
    Attack("a binding of its pod to a node", "POST", f"{_PODS}/mine/binding", RIGHTS,
           manifest("v1", "Binding", target={"kind": "Node", "name": "gpu01"})),
    Attack("a container put into a running pod", "PATCH", f"{_PODS}/mine/ephemeralcontainers",
           RIGHTS, {"spec": {"ephemeralContainers": [{"name": "x", "image": "example/image:1"}]}}),
    Attack("a running pod made larger", "PATCH", f"{_PODS}/mine/resize", RIGHTS,
           {"spec": {"containers": [{"name": "main"}]}}),
    Attack("a pod's status, written by itself", "PATCH", f"{_PODS}/mine/status", RIGHTS,
           {"status": {"phase": "Succeeded"}}),
)  # fmt: skip


def _service(title: str, stopped_by: str, **spec: Any) -> Attack:
    body = manifest("v1", "Service", spec={"ports": [{"port": 443}], **spec})
    return Attack(f"a service that {title}", "POST", f"{OWN}/services", stopped_by, body)


NETWORK: Final = (
    _service("takes an address outside the cluster", "gpu-cluster-no-external-addresses",
             externalIPs=["192.0.2.1"]),
    _service("opens a port on every node", "exceeded quota: gpu-cluster-objects", type="NodePort"),
    _service("takes a load balancer", "exceeded quota: gpu-cluster-objects", type="LoadBalancer"),
    Attack("an EndpointSlice that points elsewhere", "POST",
           "/apis/discovery.k8s.io/v1/namespaces/ml-team/endpointslices", RIGHTS,
           manifest("discovery.k8s.io/v1", "EndpointSlice")),
    Attack("an Ingress for another's name", "POST",
           "/apis/networking.k8s.io/v1/namespaces/ml-team/ingresses", RIGHTS,
           manifest("networking.k8s.io/v1", "Ingress")),
    Attack("a claim of a volume that another tenant left", "POST",
           f"{OWN}/persistentvolumeclaims", "exceeded quota: gpu-cluster",
           manifest("v1", "PersistentVolumeClaim", spec={
               "accessModes": ["ReadWriteOnce"], "volumeName": "pvc-of-vision",
               "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}})),
)  # fmt: skip
