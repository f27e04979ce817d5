"""Design rules of the batch scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.scheduling.choice import NODE_GROUP_LABEL


@rule(ERROR)
def node_group_missing(case: Case) -> Iterator[Fault]:
    """Volcano finds a pool by a label that nobody sets on nodes found by a selector."""
    if case.site.scheduler.kind != "volcano":
        return
    for path, pool in case.each_pool():
        if pool.selector is not None and NODE_GROUP_LABEL not in pool.selector:
            message = f"Volcano knows a pool by {NODE_GROUP_LABEL}, and we label no nodes here"
            fix = f"label the nodes and add `{NODE_GROUP_LABEL}: {pool.name}` to the selector"
            yield Fault(f"{path}.selector", message, fix)


RULES: Final[tuple[Rule, ...]] = (node_group_missing,)
