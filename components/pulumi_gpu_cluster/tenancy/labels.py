"""The label by which everybody knows a tenant's namespace."""

from __future__ import annotations

from typing import Final

TENANT_LABEL: Final = "gpu-cluster.io/tenant"
"""On a tenant's namespace, with the tenant's name. Tenants cannot write it: they have no rights
on namespaces."""
