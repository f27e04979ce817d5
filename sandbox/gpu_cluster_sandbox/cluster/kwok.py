"""What kwok needs of the API server before it starts: its stages, its rights, its nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from lightkube import generic_resource
from lightkube.models.rbac_v1 import PolicyRule
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.coordination_v1 import Lease

from gpu_cluster_sandbox import stages
from gpu_cluster_sandbox.cluster.rights import grant, rule

if TYPE_CHECKING:
    from lightkube import Client

_USER: Final = "gpu-cluster-sandbox:kwok"
_READ: Final = ["get", "list", "watch"]
_WRITE: Final = ["patch", "update"]

# lightkube types neither its generic resources nor their making from a mapping.
_create = cast("Any", generic_resource).create_global_resource
STAGE: Final[Any] = _create("kwok.x-k8s.io", "v1alpha1", "Stage", "stages")
_CRD: Final[Any] = CustomResourceDefinition


def prepare_kwok(client: Client) -> None:
    """Bring in the stages and the rights, as they are in this version of the sandbox."""
    crd = stages.stage_crd()
    client.apply(_CRD.from_dict(crd), force=True)
    client.wait(CustomResourceDefinition, crd["metadata"]["name"], for_conditions=["Established"])
    grant(client, _USER, _rules())
    for stage in stages.cluster_stages():
        client.apply(STAGE.from_dict(stage), force=True)


def free_nodes(client: Client) -> None:
    """Let the next kwok play the nodes at once.

    A node's lease names the kwok that plays it. One that was killed cannot give it back, and
    its successor would wait for the lease to run out, which takes most of a minute.
    """
    client.deletecollection(Lease, namespace="kube-node-lease")


def _rules() -> list[PolicyRule]:
    """Kwok's rights, as narrow as the stages allow."""
    return [
        rule("", ["events"], ["create", *_WRITE]),
        rule("", ["nodes", "pods"], [*_READ, *_WRITE, "delete"]),
        rule("", ["nodes/status", "pods/status"], _WRITE),
        rule("coordination.k8s.io", ["leases"], [*_READ, *_WRITE, "create"]),
        rule("kwok.x-k8s.io", ["stages"], _READ),
        rule("kwok.x-k8s.io", ["stages/status"], _WRITE),
        # A stage names a kind, not the resource, so the operators' groups are opened whole.
        *(rule(group, ["*"], [*_READ, *_WRITE, "delete"]) for group in _operators_groups()),
    ]


def _operators_groups() -> list[str]:
    folder = Path(stages.__file__).parent / "operators"
    references: list[str] = [
        stage["spec"]["resourceRef"]["apiGroup"]
        for path in folder.glob("*.yaml")
        for stage in yaml.safe_load_all(path.read_text("utf-8"))
    ]
    # Written as group and version: "nvidia.com/v1".
    return sorted({reference.rpartition("/")[0] for reference in references} - {""})
