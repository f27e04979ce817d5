"""The site file's section on tenants: who may use what, as one object each."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from pulumi_gpu_cluster.cuda import Cuda
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.section import (
    DNS_LABEL,
    DnsLabel,
    Positive,
    Quantity,
    Section,
    Text,
    Whole,
    no_truth_value,
    shorthand,
)


class CountShare(Section):
    """A number of whole things: what a tenant surely gets, and the most it may ever have."""

    guarantee: Whole
    """Always there for the tenant; guarantees are proven against capacity."""

    ceiling: Whole | None = None
    """The most the tenant may use when others leave room; by default the guarantee."""

    @property
    def limit(self) -> int:
        """The ceiling that holds."""
        return self.guarantee if self.ceiling is None else self.ceiling


class QuantityShare(Section):
    """An amount with a unit: what a tenant surely gets, and the most it may ever have."""

    guarantee: Quantity
    """Always there for the tenant."""

    ceiling: Quantity | None = None
    """The most the tenant may use when others leave room; by default the guarantee."""

    @property
    def limit(self) -> str:
        """The ceiling that holds."""
        return self.guarantee if self.ceiling is None else self.ceiling


Count = Annotated[
    CountShare,
    BeforeValidator(
        shorthand("guarantee", int, str, float, wanted="a whole number such as 8"),
        json_schema_input_type=Whole | CountShare,
    ),
]
Amount = Annotated[
    QuantityShare,
    BeforeValidator(
        shorthand("guarantee", int, str, float, wanted="a quantity such as 256Gi"),
        json_schema_input_type=str | float | QuantityShare,
    ),
]


class PoolQuotaArgs(Section):
    """What a tenant has in one pool. Beside the named keys: gpu.shared, and MIG resources."""

    open_keys: ClassVar = (
        r"gpu(\.shared)?|mig-.+",
        "a GPU resource with its number, as mig-3g.40gb: 8 or gpu.shared: 8",
    )
    open_as: ClassVar = "devices"
    # Typed extras: which MIG resources exist depends on the pool, so a rule names the wrong ones.
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Count] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    gpu: Count | None = None
    """Whole GPUs (nvidia.com/gpu), or MIG instances under the single strategy."""

    cpu: Amount | None = None
    """CPU cores; by default the same share of the pool's nodes as the tenant has of its GPUs."""

    memory: Amount | None = None
    """Memory; by default the same share of the pool's nodes as the tenant has of its GPUs."""

    @property
    def devices(self) -> Mapping[str, CountShare]:
        """Every GPU resource with its short name: gpu, mig-3g.40gb."""
        whole = {"gpu": self.gpu} if self.gpu is not None else {}
        return {**whole, **(self.__pydantic_extra__ or {})}


class StorageQuotaArgs(Section):
    """What a tenant may claim. Beside the named keys: one entry per StorageClass, by its name."""

    open_keys: ClassVar = (DNS_LABEL, "a storage class with its amount, as ceph-block: 2Ti")
    # Typed extras: which classes there are, the rest of the file says; a rule names the others.
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Quantity] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    total: Quantity | None = None
    """Ceiling on the sizes of all claims together; by default the sum of the classes, and then
    no class but these. With it, classes that are not listed may be claimed up to the total."""

    claims: Positive = 100
    """Ceiling on persistent volume claims."""

    @property
    def classes(self) -> Mapping[str, str]:
        """Ceiling on the sizes of claims of each class, by the class's name."""
        return self.__pydantic_extra__ or {}

    def room_in(self, storage_class: str | None) -> Fraction:
        """The most that can be claimed of a class, in bytes; of whatever class where it is None."""
        total = None if self.total is None else value(self.total)
        listed = self.classes.get(storage_class or "")
        if listed is not None:
            return value(listed) if total is None else min(value(listed), total)
        if total is None:
            known = (
                [] if storage_class is not None else [value(one) for one in self.classes.values()]
            )
            return max(known, default=Fraction(0))
        return total


StorageQuota = Annotated[
    StorageQuotaArgs,
    BeforeValidator(
        shorthand("total", int, str, float, wanted="a quantity such as 10Ti"),
        json_schema_input_type=str | float | StorageQuotaArgs,
    ),
]


class QuotaArgs(Section):
    """What a tenant has in all. Beside the named keys: one entry per pool, by the pool's name."""

    open_keys: ClassVar = (DNS_LABEL, "a pool with its resources, as train: {gpu: 8}")
    open_as: ClassVar = "pools"
    # Typed extras: pools are the site's own names; a rule names those that do not exist.
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, PoolQuotaArgs] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    cpu: Quantity | None = None
    """Ceiling on CPU requests over all pools; by default the sum of the pools' ceilings."""

    memory: Quantity | None = None
    """Ceiling on memory requests over all pools; by default the sum of the pools' ceilings."""

    pods: Positive = 200
    """Ceiling on pods."""

    storage: StorageQuota = Field(default_factory=StorageQuotaArgs)
    """What the tenant may claim: an amount (`10Ti`), or one for each StorageClass
    (`{ceph-block: 2Ti, ceph-filesystem: 10Ti}`). Nothing without this key."""

    @property
    def pools(self) -> Mapping[str, PoolQuotaArgs]:
        """The quota in each pool, by the pool's name."""
        return self.__pydantic_extra__ or {}


class TenantArgs(Section):
    """A team: its namespace, rights, quota and queue."""

    name: DnsLabel
    """Name of the tenant, its namespace and its queue."""

    group: Text
    """Group (as the API server sees it) whose members run workloads here."""

    admins: Text | None = None
    """Group that may also grant members' rights inside the namespace."""

    viewers: Text | None = None
    """Group that may only look."""

    weight: Annotated[int, Field(ge=1, le=65535), BeforeValidator(no_truth_value)] = 1
    """Share of what is borrowed and, in Volcano, of the queue: relative to other tenants."""

    gang: Positive | None = None
    """GPUs, or MIG instances, that the tenant's smallest job takes at once, over all its pods:
    a share of a pool smaller than this alone starts none of them, and is told."""

    cuda: Cuda | None = None
    """The newest CUDA that its images are built with ("13.0"), or an object: the drivers of the
    pools in which it has GPUs are held against it."""

    quota: QuotaArgs = Field(default_factory=QuotaArgs)
    """What the tenant has, per pool and in all."""

    contact: Text | None = None
    """Receiver (of `monitoring.receivers`) that hears the alerts about this tenant, in the
    platform team's place."""

    state: Literal["active", "leaving", "removed"] = "active"
    """`leaving`: nothing new starts, data stays. `removed` (with `confirm`): namespace and data
    go. An entry may only be dropped from the file after it was removed."""

    confirm: str | None = None
    """The tenant's name once more, needed for `state: removed`."""
