"""What a tenant may claim, as hard limits of its ResourceQuota."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.storage.classes import ClassOfStorage
from pulumi_gpu_cluster.tenancy.args import TenantArgs


def storage_ceilings(tenant: TenantArgs, classes: Iterable[ClassOfStorage]) -> Mapping[str, str]:
    """The limits of a tenant's claims; all zero where its quota gives no storage.

    What a quota does not name, it does not limit: so every class that the site knows of stands
    there, with 0 where the tenant has none of it. Where the quota gives a total, classes that it
    does not list are limited by that alone.

    Args:
        tenant: The tenant.
        classes: The site's StorageClasses.
    """
    quota = tenant.quota.storage
    listed = dict(quota.classes)
    total = quota.total
    if total is None:
        total = text_of(sum(map(value, listed.values()), Fraction(0)), binary=True)
        if listed:
            listed = {**{one.name: "0" for one in classes if one.claims}, **listed}
    return {
        "requests.storage": total,
        "persistentvolumeclaims": str(quota.claims if value(total) else 0),
        **{
            f"{name}.storageclass.storage.k8s.io/requests.storage": amount
            for name, amount in sorted(listed.items())
        },
    }
