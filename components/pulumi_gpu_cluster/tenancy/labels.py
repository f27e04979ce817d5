"""The names by which everybody knows a tenant's namespace, and its ceiling in it."""

from __future__ import annotations

from typing import Final

TENANT_LABEL: Final = "gpu-cluster.io/tenant"
"""On a tenant's namespace, with the tenant's name. Tenants cannot write it: they have no rights
on namespaces."""

METRICS_LABEL: Final = "gpu-cluster.io/metrics"
"""On a tenant's pod, with `true`: its metrics may be read, where the site reads such metrics."""

METRICS_PORT: Final = "metrics"
"""Name of the port at which they are read."""

QUOTA: Final = "gpu-cluster"
"""Name of the ResourceQuota in a tenant's namespace that holds the tenant's ceiling."""
