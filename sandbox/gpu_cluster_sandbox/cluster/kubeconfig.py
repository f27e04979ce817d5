"""Kubeconfig files with everything inside, so that one can be copied alone.

They are written as JSON, which every reader of YAML takes.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.cluster.files import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_cluster_sandbox.cluster.pki import Pki


def write_kubeconfig(path: Path, pki: Pki, identity: str, server: str, cluster: str) -> None:
    """Write the kubeconfig of one identity; an unchanged file is left alone."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": cluster,
                "cluster": {
                    "server": server,
                    "certificate-authority-data": _encoded(pki.certificate("ca")),
                },
            }
        ],
        "users": [
            {
                "name": identity,
                "user": {
                    "client-certificate-data": _encoded(pki.certificate(identity)),
                    "client-key-data": _encoded(pki.key(identity)),
                },
            }
        ],
        "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": identity}}],
        "current-context": cluster,
    }
    _write(path, content)


def write_token_kubeconfig(path: Path, like: Path, token: str) -> None:
    """Write the kubeconfig of a ServiceAccount, for the cluster of another kubeconfig."""
    content = json.loads(like.read_text())
    (user,) = content["users"]
    user["user"] = {"token": token}
    _write(path, content)


def _write(path: Path, content: object) -> None:
    text = (json.dumps(content, indent=2) + "\n").encode()
    if not path.exists() or path.read_bytes() != text:
        write_private(path, text)
    path.chmod(0o600)


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
