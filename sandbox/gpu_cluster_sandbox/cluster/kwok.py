"""What kwok needs of the API server before it starts: its stages, its rights, its nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from lightkube import generic_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule, RoleRef, Subject
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.coordination_v1 import Lease
from lightkube.resources.rbac_authorization_v1 import ClusterRole, ClusterRoleBinding

from gpu_cluster_sandbox import stages

if TYPE_CHECKING:
    from lightkube import Client

_USER: Final = "gpu-cluster-sandbox:kwok"
_RBAC: Final = "rbac.authorization.k8s.io"
_READ: Final = ["get", "list", "watch"]
_WRITE: Final = ["patch", "update"]

# lightkube types neither its generic resources nor their making from a mapping.
_create = cast("Any", generic_resource).create_global_resource
_STAGE: Final[Any] = _create("kwok.x-k8s.io", "v1alpha1", "Stage", "stages")
_CRD: Final[Any] = CustomResourceDefinition


def prepare_kwok(client: Client) -> None:
    """Bring in the stages and the rights, as they are in this version of the sandbox."""
    crd = stages.stage_crd()
    client.apply(_CRD.from_dict(crd), force=True)
    client.wait(CustomResourceDefinition, crd["metadata"]["name"], for_conditions=["Established"])
    role, binding = _permissions()
    client.apply(role, force=True)
    client.apply(binding, force=True)
    for stage in stages.cluster_stages():
        client.apply(_STAGE.from_dict(stage), force=True)


def free_nodes(client: Client) -> None:
    """Let the next kwok play the nodes at once.

    A node's lease names the kwok that plays it. One that was killed cannot give it back, and
    its successor would wait for the lease to run out, which takes most of a minute.
    """
    client.deletecollection(Lease, namespace="kube-node-lease")


def _permissions() -> tuple[ClusterRole, ClusterRoleBinding]:
    """Kwok's rights, as narrow as the stages allow."""
    metadata = ObjectMeta(name=_USER)
    rules = [
        _rule("", ["events"], ["create", *_WRITE]),
        _rule("", ["nodes", "pods"], [*_READ, *_WRITE, "delete"]),
        _rule("", ["nodes/status", "pods/status"], _WRITE),
        _rule("coordination.k8s.io", ["leases"], [*_READ, *_WRITE, "create"]),
        _rule("kwok.x-k8s.io", ["stages"], _READ),
        _rule("kwok.x-k8s.io", ["stages/status"], _WRITE),
        # A stage names a kind, not the resource, so the operators' groups are opened whole.
        *(_rule(group, ["*"], [*_READ, *_WRITE, "delete"]) for group in _operators_groups()),
    ]
    return (
        ClusterRole(metadata=metadata, rules=rules),
        ClusterRoleBinding(
            metadata=metadata,
            roleRef=RoleRef(apiGroup=_RBAC, kind="ClusterRole", name=_USER),
            subjects=[Subject(apiGroup=_RBAC, kind="User", name=_USER)],
        ),
    )


def _operators_groups() -> list[str]:
    folder = Path(stages.__file__).parent / "operators"
    references: list[str] = [
        stage["spec"]["resourceRef"]["apiGroup"]
        for path in folder.glob("*.yaml")
        for stage in yaml.safe_load_all(path.read_text("utf-8"))
    ]
    # Written as group and version: "nvidia.com/v1".
    return sorted({reference.rpartition("/")[0] for reference in references} - {""})


def _rule(group: str, resources: list[str], verbs: list[str]) -> PolicyRule:
    return PolicyRule(apiGroups=[group], resources=resources, verbs=verbs)
