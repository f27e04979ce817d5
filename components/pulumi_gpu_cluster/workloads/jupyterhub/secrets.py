"""A hub's secrets: derived from the site's one key, and kept out of the release's values."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

SECRET_NAME: Final = "jupyterhub-secrets"  # noqa: S105 - the name of one


def hub_secret(
    name: str,
    namespace: str,
    contents: pulumi.Input[Mapping[str, str]],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """The Secret that the hub reads beside the one of its chart."""
    return Secret(
        name,
        metadata=ObjectMetaArgs(name=SECRET_NAME, namespace=namespace),
        string_data=pulumi.Output.secret(contents),
        opts=opts,
    )


def contents(tenant: str, key: str, client_secret: str) -> dict[str, str]:
    """What stands in it, under the keys by which the chart's own configuration looks for it.

    source: jupyterhub/zero-to-jupyterhub-k8s 4.4.0 jupyterhub/files/hub/z2jh.py

    Args:
        tenant: Whose hub. Every hub has secrets of its own: a cookie of one opens no other.
        key: The site's key.
        client_secret: The client's secret at the identity provider.
    """
    values = {"hub": {"config": {"GenericOAuthenticator": {"client_secret": client_secret}}}}
    return {
        "hub.config.JupyterHub.cookie_secret": _derived(key, tenant, "cookie-secret"),
        "hub.config.CryptKeeper.keys": _derived(key, tenant, "crypt-key"),
        "values.yaml": json.dumps(values),
    }


def fingerprint(tenant: str, key: str, client_secret: str) -> str:
    """Changes when any of the secrets does, so that the hub starts anew; tells nothing of them."""
    return _derived(key, tenant, f"fingerprint {client_secret}")[:16]


def _derived(key: str, tenant: str, purpose: str) -> str:
    """32 bytes in hex."""
    return hmac.new(key.encode(), f"{tenant} {purpose}".encode(), hashlib.sha256).hexdigest()
