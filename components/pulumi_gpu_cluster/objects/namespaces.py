"""Namespaces, with the Pod Security level that what runs in them needs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

_LEVEL: Final = "pod-security.kubernetes.io"

PLATFORM: Final[Mapping[str, str]] = MappingProxyType({f"{_LEVEL}/enforce": "privileged"})
"""For operators and schedulers, which load kernel modules or mount parts of the host. It is said
before their chart comes, because a cluster-wide default would forbid their pods."""

SERVICE: Final[Mapping[str, str]] = MappingProxyType({f"{_LEVEL}/enforce": "restricted"})
"""For services that need nothing of the host they run on."""
BASELINE: Final[Mapping[str, str]] = MappingProxyType({f"{_LEVEL}/enforce": "baseline"})
"""For pods of the platform that run as root and need nothing more of their host."""


TENANT: Final[Mapping[str, str]] = MappingProxyType(
    {f"{_LEVEL}/enforce": "baseline", f"{_LEVEL}/warn": "restricted"}
)
"""For tenants: no privileged pod, which would see every GPU of its node."""


def namespace(
    name: str, namespace_name: str, labels: Mapping[str, str], opts: pulumi.ResourceOptions
) -> Namespace:
    """A namespace with these labels."""
    return Namespace(
        name, metadata=ObjectMetaArgs(name=namespace_name, labels=dict(labels)), opts=opts
    )
