"""The Secret by which pods enter a registry."""

from __future__ import annotations

import base64
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.images import PULLED_BY

# source: kubernetes.io, Secrets, types: this type needs this key
_TYPE: Final = "kubernetes.io/dockerconfigjson"
_KEY: Final = ".dockerconfigjson"


def pull_secret(
    name: str, namespace: str, credentials: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> Secret:
    """The registry's credentials in a namespace.

    Args:
        name: Name of the resource.
        namespace: The namespace.
        credentials: The text of a Docker config.json.
        opts: Options of the resource.
    """
    encoded = pulumi.Output.secret(credentials).apply(
        lambda text: base64.b64encode(text.encode()).decode()
    )
    return Secret(
        name,
        metadata=ObjectMetaArgs(name=PULLED_BY, namespace=namespace),
        type=_TYPE,
        data={_KEY: encoded},
        opts=opts,
    )
