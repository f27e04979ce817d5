"""What a tenant's hub is called: its namespace and its address."""

from __future__ import annotations

from typing import Final

HUB_NAMESPACE: Final = "jupyterhub-"
"""What stands before the tenant's name in the name of its hub's namespace."""


def hub_namespace(tenant: str) -> str:
    """The namespace of a tenant's hub, beside the tenant's own and closed to its members."""
    return f"{HUB_NAMESPACE}{tenant}"


def hub_host(tenant: str, domain: str) -> str:
    """The host name of a tenant's hub."""
    return f"{tenant}.{domain}"
