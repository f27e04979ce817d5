"""Secrets of the cluster, made of secrets of the site."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs


def opaque_secret(
    name: str,
    namespace: str,
    secret_name: str,
    texts: Mapping[str, pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """A Secret with these texts.

    Args:
        name: Name of the resource.
        namespace: Its namespace.
        secret_name: Its name there.
        texts: What it holds, by key.
        opts: Options of the resource.
    """
    return encoded_secret(
        name,
        namespace,
        secret_name,
        {key: pulumi.Output.secret(text).apply(_encoded) for key, text in texts.items()},
        opts,
    )


def encoded_secret(
    name: str,
    namespace: str,
    secret_name: str,
    keys: Mapping[str, pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """A Secret of bytes that are had in base64, as `secrets init` makes keys.

    Args:
        name: Name of the resource.
        namespace: Its namespace.
        secret_name: Its name there.
        keys: What it holds in base64, by key.
        opts: Options of the resource.
    """
    return Secret(
        name,
        metadata=ObjectMetaArgs(name=secret_name, namespace=namespace),
        data={key: pulumi.Output.secret(value) for key, value in keys.items()},
        opts=opts,
    )


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
