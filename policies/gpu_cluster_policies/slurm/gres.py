"""The GPUs that Slurm gives out must be those that its nodes have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, values_of
from gpu_cluster_policies.pools import NODE_POOL_READS, is_gpu, known_pools
from gpu_cluster_policies.reading import NOTHING, Fields, amount, fields
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, StackRule, Verdict, each
from gpu_cluster_policies.settings import POOLS
from gpu_cluster_policies.slurm.files import NODE_SET, conf_of, is_slurm_chart
from gpu_cluster_policies.stack import Stack

_GPU: Final = re.compile(r"\bgpu(?::[A-Za-z][\w.-]*)?(?::(\d+))?(?=[(,\s]|$)")


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds node sets that give out more or fewer GPUs than their nodes have."""
    yield from each(stack.of(NODE_SET, *VALUES), lambda one: _judge_resource(one, stack, config))


def _judge_resource(resource: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    for name, node_set in _node_sets(resource):
        given = _gres(conf_of(node_set, ("extraConf", "extraConfMap")).get("gres", ""))
        asked = _asked(node_set)
        pooled = _of_pool(resource, node_set, stack, config)
        for what, there in (("its pods ask for", asked), ("its pool has", pooled)):
            if there is not None and there != given:
                yield Fault(resource, f"node set {name} gives out {given} GPUs, and {what} {there}")
                break


def _node_sets(resource: Resource) -> Iterator[tuple[str, Fields]]:
    if resource.sort == NODE_SET:
        yield resource.name, fields(resource.props, "spec")
    elif is_slurm_chart(resource):
        for name, found in fields(values_of(resource), "nodesets").items():
            if isinstance(found, Mapping):
                yield name, cast("Fields", found)


def _gres(text: str) -> int:
    return sum(int(count or 1) for count in _GPU.findall(text.strip("\"'[]")))


def _asked(node_set: Fields) -> Fraction | None:
    limits = fields(node_set, "slurmd", "resources", "limits")
    counts = [amount(count) for name, count in limits.items() if is_gpu(name)]
    return sum((one for one in counts if one is not None), Fraction(0)) if counts else None


def _of_pool(resource: Resource, node_set: Fields, stack: Stack, config: Config) -> int | None:
    selector = (
        fields(node_set, "template", "spec", "nodeSelector")
        or fields(node_set, "podSpec", "nodeSelector")
        or NOTHING
    )
    chosen = [
        pool
        for pool in known_pools(resource, stack, config)
        if pool.selector and all(selector.get(key) == value for key, value in pool.selector.items())
    ]
    return chosen[0].gpu_count if len(chosen) == 1 and chosen[0].gpu_count else None


SLURM_GRES_DIFFERS_FROM_POOL: Final = StackRule(
    id="slurm-gres-differs-from-pool",
    description="A node set gives out as many GPUs as its pods and its nodes have.",
    why="With too many, jobs start that find no GPU, and slurmctld drains the node; with too few "
    "or none, GPUs stand idle.",
    mend="write Gres=gpu:<type>:<count> of the node in the node set's extraConf",
    severity=Severity.HIGH,
    tags=("slurm", "quota"),
    reads={NODE_SET: ("metadata", "spec"), **VALUES, **NODE_POOL_READS},
    judge=judge,
    settings={"pools": dict(POOLS)},
)
