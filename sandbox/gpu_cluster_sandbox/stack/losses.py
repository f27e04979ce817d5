"""What destroying a stack would take from its users, as a list for a person."""

from __future__ import annotations

from collections import Counter

from lightkube import Client
from lightkube.resources.core_v1 import Namespace, PersistentVolumeClaim, Pod

from pulumi_gpu_cluster.site import Site


def losses(client: Client, site: Site) -> str:
    """One line for each tenant namespace, with what is in it."""
    present = {item.metadata.name for item in client.list(Namespace) if item.metadata}
    lines: list[str] = []
    for tenant in site.tenants:
        if tenant.name not in present:
            continue
        held = Counter(
            pods=sum(1 for _ in client.list(Pod, namespace=tenant.name)),
            claims=sum(1 for _ in client.list(PersistentVolumeClaim, namespace=tenant.name)),
        )
        lines.append(
            f"  namespace {tenant.name}: {held['pods']} pods, {held['claims']} volume claims"
        )
    return "\n".join(lines) or "  nothing that belongs to a tenant"
