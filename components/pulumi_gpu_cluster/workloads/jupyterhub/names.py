"""What a tenant's hub is called: its namespace and its address."""

from __future__ import annotations

import re
from typing import Final

HUB_NAMESPACE: Final = "jupyterhub-"
"""What stands before the tenant's name in the name of its hub's namespace."""


def hub_namespace(tenant: str) -> str:
    """The namespace of a tenant's hub, beside the tenant's own and closed to its members."""
    return f"{HUB_NAMESPACE}{tenant}"


def hub_host(tenant: str, domain: str) -> str:
    """The host name of a tenant's hub."""
    return f"{tenant}.{domain}"


def slug(title: str) -> str:
    """What hubs know a profile by; empty where the title has no ASCII letter and no digit."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
