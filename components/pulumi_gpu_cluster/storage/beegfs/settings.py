"""What the BeeGFS driver reads: settings, shared secrets and certificates, per file system.

The driver reads them once, when it starts. Each is therefore an object whose name changes with
its content: the pods that name it are rolled out anew.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.storage.beegfs.args import BeegfsFileSystemArgs

CONFIG_FILE: Final = "csi-beegfs-config.yaml"
AUTH_FILE: Final = "csi-beegfs-connauth.yaml"
CERTIFICATES_FILE: Final = "csi-beegfs-tlscerts.yaml"
"""Names of the files, in the volumes that these objects become."""


def settings(
    name: str,
    namespace: str,
    file_systems: Sequence[BeegfsFileSystemArgs],
    opts: pulumi.ResourceOptions,
) -> ConfigMap:
    """How each file system's client is set up."""
    content: dict[str, Any] = {
        "config": {},
        "fileSystemSpecificConfigs": [
            {"sysMgmtdHost": one.management, "config": _client(one)}
            for one in _each(file_systems).values()
        ],
    }
    return ConfigMap(
        name,
        metadata=ObjectMetaArgs(namespace=namespace),
        data={CONFIG_FILE: json.dumps(content, indent=1)},
        opts=opts,
    )


def shared_secrets(
    name: str,
    namespace: str,
    file_systems: Sequence[BeegfsFileSystemArgs],
    auth: Mapping[str, pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """What connections prove themselves with.

    Always in base64: a line end more or less is another secret, and nobody is told.

    Args:
        name: Name of the resource.
        namespace: Namespace of the driver.
        file_systems: The file systems.
        auth: Each one's shared secret by the file system's name, written as `auth_encoding` says.
        opts: Options of the resource.
    """
    one_each = _each(file_systems)
    given = [
        pulumi.Output.secret(auth[one.name]).apply(_base64 if one.auth_encoding == "raw" else _same)
        for one in one_each.values()
    ]
    hosts = list(one_each)
    content = pulumi.Output.all(*given).apply(
        lambda texts: json.dumps(
            [
                {"sysMgmtdHost": host, "connAuth": text, "encoding": "base64"}
                for host, text in zip(hosts, texts, strict=True)
            ]
        )
    )
    return _secret(name, namespace, AUTH_FILE, pulumi.Output.secret(content), opts)


def certificates(
    name: str,
    namespace: str,
    file_systems: Sequence[BeegfsFileSystemArgs],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """The certificates of the management services: no secrets, but the driver wants them in one."""
    content = [
        {"sysMgmtdHost": host, "tlsCert": one.certificate}
        for host, one in _each(file_systems).items()
        if one.certificate is not None
    ]
    return _secret(name, namespace, CERTIFICATES_FILE, json.dumps(content), opts)


def _each(file_systems: Sequence[BeegfsFileSystemArgs]) -> dict[str, BeegfsFileSystemArgs]:
    """One entry for each management service: several classes may share one."""
    return {one.management: one for one in reversed(file_systems)}


def _client(one: BeegfsFileSystemArgs) -> dict[str, Any]:
    interfaces = {"connInterfaces": list(one.interfaces)} if one.interfaces else {}
    return {**interfaces, "beegfsClientConf": dict(one.client)}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _same(text: str) -> str:
    return "".join(text.split())


def _secret(
    name: str,
    namespace: str,
    file: str,
    content: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> Secret:
    return Secret(
        name,
        metadata=ObjectMetaArgs(namespace=namespace),
        string_data={file: content},
        opts=opts,
    )
