"""Keys of quotas and limit ranges that the API server takes and that then do something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import is_gpu
from gpu_cluster_policies.reading import entries, fields
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict

QUOTA: Final = "core/ResourceQuota"
_LIMITS: Final = "limits."
_DEFAULTS: Final = ("default", "defaultRequest", "min")


def _uncounted(quota: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for key in fields(quota.props, "spec", "hard"):
        bare = key.removeprefix(_LIMITS)
        if is_gpu(bare) and not key.startswith("requests."):
            yield Fault(quota, f"spec.hard names {key}, which is taken and never counted")


QUOTA_GPU_KEY: Final = ResourceRule(
    id="quota-gpu-key",
    description="A quota limits GPUs by requests.<resource>, the only key that counts them.",
    why="The API server takes limits.nvidia.com/gpu and nvidia.com/gpu in a quota and counts "
    "neither: who wrote them believes in a ceiling that is not there.",
    mend="write requests.<resource> instead, with the same amount",
    severity=Severity.HIGH,
    tags=("quota", "tenants"),
    reads={QUOTA: ("metadata", "spec")},
    judge=_uncounted,
)


def _given_to_everybody(limits: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for limit in entries(limits.props, "spec", "limits"):
        for section in _DEFAULTS:
            for key in fields(limit, section):
                if is_gpu(key):
                    yield Fault(limits, f"{section} gives every container {key}")


LIMIT_RANGE_GPU_DEFAULT: Final = ResourceRule(
    id="limit-range-gpu-default",
    description="A LimitRange gives no container GPUs that it did not ask for.",
    why="With a default or a minimum, sidecars and CPU jobs take a GPU each, or wait for one.",
    mend="keep only max for GPU resources",
    severity=Severity.HIGH,
    tags=("quota", "tenants"),
    reads={"core/LimitRange": ("metadata", "spec")},
    judge=_given_to_everybody,
)
