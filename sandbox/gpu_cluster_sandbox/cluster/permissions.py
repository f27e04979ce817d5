"""What kwok may do: play nodes and pods, and set the status of what its stages name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAME: Final = "gpu-cluster-sandbox:kwok"


def kwok_permissions(stages: Iterable[Path]) -> list[dict[str, Any]]:
    """A ClusterRole and its binding, as narrow as the stages allow."""
    rules: list[dict[str, Any]] = [
        _rule("", ["events"], ["create", "patch", "update"]),
        _rule("", ["nodes", "pods"], ["get", "list", "watch", "patch", "update", "delete"]),
        _rule("", ["nodes/status", "pods/status"], ["patch", "update"]),
        _rule("coordination.k8s.io", ["leases"], ["get", "list", "watch", "create", "patch", "update"]),
    ]
    # The plural names of custom resources are not in a stage, so a group is opened whole.
    rules += [
        _rule(group, ["*"], ["get", "list", "watch", "patch", "update", "delete"])
        for group in sorted(_custom_groups(stages))
    ]
    return [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": NAME},
            "rules": rules,
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": NAME,
            },
            "subjects": [
                {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": NAME}
            ],
        },
    ]


def _custom_groups(stages: Iterable[Path]) -> set[str]:
    references = [
        document["spec"]["resourceRef"]["apiGroup"]
        for path in stages
        for document in yaml.safe_load_all(path.read_text())
        if document and document.get("kind") == "Stage"
    ]
    # "v1" and "apps/v1" both occur: what stands before the version is the group.
    return {group for ref in references if (group := ref.rpartition("/")[0])}


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}
