"""The working copy of a site's stack file: the same site, on the simulated cluster.

The control plane, the source of charts and the secrets are the sandbox's; everything else is
what the user wrote, so that what comes up here is what would come up there.
"""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.stack.workspace import Workspace

SITE_KEY = "gpu-cluster:site"
KUBECONFIG_PATH = f"{SITE_KEY}.control_plane.kubeconfig"


def write_working_copy(workspace: Workspace, kubernetes_version: str) -> None:
    """Writes the working copy anew, keeping what only it knows: the salt and our secrets.

    Args:
        workspace: Whose copy.
        kubernetes_version: The version that the simulated control plane really runs.
    """
    document = yaml.safe_load(workspace.site_file.read_text(encoding="utf-8"))
    before = _read(workspace.stack_file)
    site = copy.deepcopy(document["config"][SITE_KEY])
    kept = _kubeconfig(before)
    control_plane: dict[str, object] = {"kind": "existing", "version": kubernetes_version}
    if kept is not None:
        control_plane["kubeconfig"] = kept
    site["control_plane"] = control_plane
    site["charts"] = {"source": "directory", "path": os.fspath(workspace.charts)}
    document["config"][SITE_KEY] = site
    # A salt of the user's belongs to a passphrase that we do not have.
    for key in ("encryptionsalt", "secretsprovider", "encryptedkey"):
        document.pop(key, None)
        if key in before:
            document[key] = before[key]
    temporary = workspace.stack_file.with_suffix(".new")
    temporary.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    temporary.replace(workspace.stack_file)


def kubeconfig_is_set(workspace: Workspace, kubeconfig: Path) -> bool:
    """Whether the working copy already holds this very kubeconfig as its secret."""
    mark = _mark(workspace)
    return (
        _kubeconfig(_read(workspace.stack_file)) is not None
        and mark.is_file()
        and mark.read_text() == _digest(kubeconfig)
    )


def mark_kubeconfig(workspace: Workspace, kubeconfig: Path) -> None:
    """Remembers which kubeconfig the working copy holds."""
    _mark(workspace).write_text(_digest(kubeconfig))


def _mark(workspace: Workspace) -> Path:
    return workspace.state / "kubeconfig.sha256"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError:
        raise SandboxError(
            f"the working copy {path} is no longer YAML", f"remove it: rm {path}"
        ) from None
    return document if isinstance(document, dict) else {}


def _kubeconfig(document: Mapping[str, Any]) -> object:
    site = document.get("config", {}).get(SITE_KEY, {})
    return site.get("control_plane", {}).get("kubeconfig")
