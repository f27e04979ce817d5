"""Design rules of storage as a whole: its classes, and what tenants are promised of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.storage.classes import ClassOfStorage, storage_classes
from pulumi_gpu_cluster.tenancy.args import StorageQuotaArgs
from pulumi_gpu_cluster.wording import instead, listed, nearest
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import hub_tenants

_MEBI: Final = 2**20
# source: ceph/ceph v20, mon_osd_nearfull_ratio: from there on Ceph warns and slows down
_FULL: Final = Fraction(85, 100)


@rule(ERROR, waivable=False)
def storage_class_twice(case: Case) -> Iterator[Fault]:
    """Two StorageClasses have the same name."""
    first: dict[str, str] = {}
    for one in storage_classes(case.site.storage):
        before = first.setdefault(one.name, one.path)
        if before != one.path:
            yield Fault(one.path, f"{one.name} stands at {before} too", "give it another name")


@rule(ERROR, waivable=False)
def storage_default_class(case: Case) -> Iterator[Fault]:
    """The default StorageClass is none that is made here for volumes."""
    name = case.site.storage.default_class
    made = [
        one.name for one in storage_classes(case.site.storage) if one.maker != "site" and one.claims
    ]
    if name is not None and name not in made:
        fix = instead(name, made) if made else "remove it: no class is made here"
        message = f"{name} is no class for volumes that is made here"
        yield Fault("site.storage.default_class", message, fix)


@rule(WARNING)
def storage_class_unlisted(case: Case) -> Iterator[Fault]:
    """A volume is to be of a class that is neither made here nor listed: it may never be there."""
    known = [one.name for one in _for_claims(case)]
    for path, name in _named_classes(case):
        if name not in known:
            message = f"{name} is neither made here nor listed in storage.classes"
            listing = f"if the cluster has it, list it: storage: {{classes: [{name}]}}"
            close = nearest(name, known)
            others = f"; known are {listed(known)}" if known else ""
            fix = f"did you mean {close}? Else {listing}" if close else f"{listing}{others}"
            yield Fault(path, message, fix)


@rule(ERROR, waivable=False)
def quota_unknown_class(case: Case) -> Iterator[Fault]:
    """A quota names a StorageClass that nobody makes and the site does not list."""
    known = [one.name for one in _for_claims(case)]
    for path, quota in _quotas(case):
        for name in quota.classes:
            if name not in known:
                listing = f"list it in storage.classes if the cluster has it: [{name}]"
                fix = instead(name, known) if known else listing
                yield Fault(f"{path}.{name}", f"there is no storage class {name}", fix)


@rule(ERROR, waivable=False)
def quota_class_over_total(case: Case) -> Iterator[Fault]:
    """A quota gives more of one StorageClass than of all together."""
    for path, quota in _quotas(case):
        for name, amount in quota.classes.items():
            if quota.total is not None and value(amount) > value(quota.total):
                message = f"{amount}, and the total is {quota.total}"
                yield Fault(f"{path}.{name}", message, "raise the total, or leave it out")


@rule(ERROR, waivable=False)
def quota_storage_without_unit(case: Case) -> Iterator[Fault]:
    """A quota's storage is so little that its unit was forgotten."""
    for path, quota in _quotas(case):
        stated = {f"{path}.{name}": amount for name, amount in quota.classes.items()}
        if quota.total is not None:
            # In the shorthand there is no key for it.
            short = quota.model_fields_set == {"total"}
            stated[path if short else f"{path}.total"] = quota.total
        for where, amount in stated.items():
            if 0 < value(amount) < _MEBI:
                message = f"{amount} is less than a mebibyte: without a unit it counts bytes"
                example = f"{amount}Ti" if amount.isdigit() else "10Ti"
                yield Fault(where, message, f"add the unit, for example {example}")


@rule(ERROR)
def quota_storage_over_capacity(case: Case) -> Iterator[Fault]:
    """Tenants' storage quotas add up to more than Ceph's disks can hold."""
    ceph = case.site.storage.ceph
    if ceph is None or ceph.capacity is None:
        return
    classes = [one for one in _for_claims(case) if one.maker == "ceph"]
    needed = sum((_on_disk(quota, classes) for _, quota in _quotas(case)), Fraction(0))
    room = value(ceph.capacity) * _FULL
    if needed > room:
        message = (
            f"tenants' quotas take {_tebi(needed)} on disk with all copies and pieces, and "
            f"{ceph.capacity} of disks hold {_tebi(room)} before Ceph is nearly full"
        )
        fix = f"lower quotas by {_tebi(needed - room)} on disk, or accept it and watch the space"
        yield Fault("site.storage.ceph.capacity", message, fix)


@rule(ERROR)
def quota_without_homes(case: Case) -> Iterator[Fault]:
    """A tenant has notebooks, and its storage quota has no room for a single home."""
    hub = case.site.workloads.jupyterhub
    if hub is None:
        return
    home = hub.home.storage_class or case.site.storage.default_class
    with_hub = {tenant.name for tenant in hub_tenants(case.site)}
    for index, tenant in enumerate(case.site.tenants):
        quota = tenant.quota.storage
        room = quota.room_in(home)
        if tenant.name in with_hub and room < value(hub.home.size):
            where = f" in {home}" if home is not None and quota.classes else ""
            message = (
                f"a notebook's home takes {hub.home.size}{where}, and there is no room for one"
            )
            fix = f"give {hub.home.size} for each person, or leave the tenant out of the hubs"
            yield Fault(f"site.tenants[{index}].quota.storage", message, fix)


@rule(WARNING)
def quota_not_held_by_beegfs(case: Case) -> Iterator[Fault]:
    """A quota limits claims on BeeGFS, which takes no notice of a claim's size."""
    beegfs = {one.name for one in _for_claims(case) if one.maker == "beegfs"}
    for path, quota in _quotas(case):
        for name, amount in quota.classes.items():
            if name in beegfs and value(amount):
                message = "limits what is claimed, and BeeGFS does not hold a volume to its size"
                fix = "set a quota of BeeGFS's own for the group, and accept this"
                yield Fault(f"{path}.{name}", message, fix)


def _for_claims(case: Case) -> list[ClassOfStorage]:
    return [one for one in storage_classes(case.site.storage) if one.claims]


def _named_classes(case: Case) -> Iterator[tuple[str, str]]:
    """Every class that a part of the site wants its own volumes of, with its path."""
    site = case.site
    hub, monitoring, slurm = site.workloads.jupyterhub, site.monitoring, site.slurm
    named = {
        "site.slurm": slurm,
        "site.monitoring.volume": monitoring.volume if monitoring is not None else None,
        "site.workloads.jupyterhub.home": hub.home if hub is not None else None,
    }
    for path, part in named.items():
        if part is not None and part.storage_class is not None:
            yield f"{path}.storage_class", part.storage_class


def _quotas(case: Case) -> Iterator[tuple[str, StorageQuotaArgs]]:
    """What each tenant that is there may store, with its path."""
    for index, tenant in enumerate(case.site.tenants):
        if tenant.state != "removed":
            yield f"site.tenants[{index}].quota.storage", tenant.quota.storage


def _on_disk(quota: StorageQuotaArgs, classes: list[ClassOfStorage]) -> Fraction:
    """The most that a quota can take on Ceph's disks: what has no class in the dearest one."""
    by_class = {one.name: one.overhead for one in classes}
    given = [(value(amount), by_class.get(name)) for name, amount in quota.classes.items()]
    known = sum((amount * factor for amount, factor in given if factor), Fraction(0))
    if quota.total is None:
        return known
    rest = value(quota.total) - sum((amount for amount, _ in given), Fraction(0))
    return known + max(rest, Fraction(0)) * max(by_class.values(), default=Fraction(0))


def _tebi(amount: Fraction) -> str:
    """Tebibytes with at most one decimal."""
    tebi = round(float(amount / 2**40), 1)
    return text_of(Fraction(str(tebi)) * 2**40, binary=True) if tebi.is_integer() else f"{tebi}Ti"


RULES: Final[tuple[Rule, ...]] = (
    storage_class_twice,
    storage_default_class,
    storage_class_unlisted,
    quota_unknown_class,
    quota_class_over_total,
    quota_storage_without_unit,
    quota_storage_over_capacity,
    quota_without_homes,
    quota_not_held_by_beegfs,
)
