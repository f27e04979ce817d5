"""The working copy of a site's stack file: the same site, on the simulated cluster.

The control plane with its hosts, the source of charts and the secrets are the sandbox's;
everything else is what the user wrote, so that what comes up here is what would come up there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, Final, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.stack.throw_away import put_back, take_out_secrets, wanted_secrets
from gpu_cluster_sandbox.stack.workspace import Workspace
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.secret import MissingSecret
from pulumi_gpu_cluster.site import Site

SITE_KEY: Final = "gpu-cluster:site"
KUBECONFIG_PATH: Final = f"{SITE_KEY}.control_plane.kubeconfig"


def write_working_copy(workspace: Workspace, kubernetes_version: str) -> tuple[MissingSecret, ...]:
    """Writes the working copy anew, keeping what only it knows: the salt and our secrets.

    Args:
        workspace: Whose copy.
        kubernetes_version: The version that the simulated control plane really runs.

    Returns:
        The secrets that it does not have yet.
    """
    document, before = _read(workspace.site_file), _read(workspace.stack_file)
    control_plane: dict[str, object] = {"kind": "existing", "version": kubernetes_version}
    if (kept := _kubeconfig(before)) is not None:
        control_plane["kubeconfig"] = kept
    site = _site(document)
    # No host of the user's is ever reached from here.
    for key in ("control_plane", "ssh", "hosts"):
        site.pop(key, None)
    users, ours = take_out_secrets(site), take_out_secrets(_site(before))
    site["control_plane"] = control_plane
    site["charts"] = {"source": "directory", "path": os.fspath(workspace.charts)}
    # A salt of the user's belongs to a passphrase that we do not have.
    for key in ("encryptionsalt", "secretsprovider", "encryptedkey"):
        document.pop(key, None)
        if key in before:
            document[key] = before[key]
    temporary = workspace.stack_file.with_suffix(".new")
    _yaml().dump(document, temporary)
    wanted = wanted_secrets(_judged(temporary), users)
    for secret in wanted:
        if secret.path in ours:
            put_back(site, secret.path, ours[secret.path])
    _yaml().dump(document, temporary)
    temporary.replace(workspace.stack_file)
    return tuple(secret for secret in wanted if secret.path not in ours)


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


def _yaml() -> YAML:
    # It writes every value as it was written, where a plain reader makes a truth value of `no`.
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000
    return yaml


def _read(path: Path) -> MutableMapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        document: object = _yaml().load(path)
    except (YAMLError, ValueError):
        raise SandboxError(f"{path} is not YAML", "mend it, or remove it if it is a copy") from None
    if not isinstance(document, MutableMapping):
        return {}
    return cast("MutableMapping[str, Any]", document)


def _judged(path: Path) -> Site:
    """The site in a copy, whose shape was found good in the user's file."""
    site, findings = read_stack_file(path)
    if site is None:
        raise SandboxError(f"the working copy {path} does not hold together", str(findings[0]))
    return site


def _site(document: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    site: MutableMapping[str, Any] = document.get("config", {}).get(SITE_KEY, {})
    return site


def _kubeconfig(document: MutableMapping[str, Any]) -> object:
    return _site(document).get("control_plane", {}).get("kubeconfig")
