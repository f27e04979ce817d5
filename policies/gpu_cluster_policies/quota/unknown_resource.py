"""A quota must name resources that some pool offers: another one's name limits nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pools import NODE_POOL_READS, is_gpu, offered, unknown_pools
from gpu_cluster_policies.quota.keys import QUOTA
from gpu_cluster_policies.reading import amount, fields
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Later, StackRule, Verdict, Violation, each
from gpu_cluster_policies.settings import GPU_RESOURCES, POOLS, cannot_judge
from gpu_cluster_policies.stack import Stack

_REQUESTS: Final = "requests."


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds quotas of GPU resources that no pool of the cluster offers."""
    yield from each(stack.of(QUOTA), lambda quota: _judge_quota(quota, stack, config))


def _judge_quota(quota: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    named = {
        key.removeprefix(_REQUESTS): amount(value)
        for key, value in fields(quota.props, "spec", "hard").items()
        if key.startswith(_REQUESTS) and is_gpu(key.removeprefix(_REQUESTS))
    }
    if not named:
        return
    known = offered(quota, stack, config)
    if known is None:
        missing = "no node pool registers, and the configuration names no GPU resources"
        yield Violation(cannot_judge(quota.shown, missing, "gpuResources"), quota.urn)
        return
    if unknown_pools(quota, stack):
        yield Later(f"{quota.shown}: what the node pools offer is not known yet")
        return
    for name, limit in named.items():
        # Nothing of what is not there is what a quota may well say.
        if name not in known and limit != 0:
            listed = ", ".join(known) or "none"
            yield Violation(
                f"{quota.shown}: limits {name}, which no node pool offers (they offer {listed}); "
                f"fix: {QUOTA_UNKNOWN_RESOURCE.mend}",
                quota.urn,
            )


QUOTA_UNKNOWN_RESOURCE: Final = StackRule(
    id="quota-unknown-resource",
    description="A quota names GPU resources that the cluster's node pools offer.",
    why="A profile of another board, or gpu.shared where nothing is renamed, limits nothing: what "
    "the nodes really offer stays without a ceiling.",
    mend="name the resource as the nodes offer it, or take the line away",
    severity=Severity.HIGH,
    tags=("quota", "tenants"),
    reads={QUOTA: ("metadata", "spec"), **NODE_POOL_READS},
    judge=judge,
    settings={"gpuResources": dict(GPU_RESOURCES), "pools": dict(POOLS)},
)
