"""What the BeeGFS driver may do in the cluster: its controller makes volumes, its nodes nothing."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.objects.rights import LOOK, Right

# source: kubernetes-csi/external-provisioner v3.5.0 and external-resizer v1.11.1, deploy/
# kubernetes/rbac.yaml; without what they need for snapshots, topology and attaching, which this
# driver does not do
PROVISIONER_RIGHTS: Final = (
    Right("", ("persistentvolumes",), (*LOOK, "create", "delete", "patch")),
    Right("", ("persistentvolumeclaims",), (*LOOK, "patch", "update")),
    Right("", ("persistentvolumeclaims/status",), ("patch",)),
    Right("", ("events",), ("create", "list", "patch", "update", "watch")),
    Right("", ("nodes", "pods"), LOOK),
    Right("storage.k8s.io", ("csinodes", "storageclasses"), LOOK),
)
