"""Design rules of what a site tells of GPUs that the catalogue does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog.mig import why_not
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule


@rule(ERROR, waivable=False)
def gpu_facts_inconsistent(case: Case) -> Iterator[Fault]:
    """What a site tells of a board cannot be: a profile does not find the place it is said to."""
    for path, pool in case.each_pool():
        facts = pool.gpu.facts if pool.gpu is not None else None
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if facts is None or facts.mig is None or model is None or model.mig is None:
            continue
        for name, profile in facts.mig.profiles.items():
            where = f"{path}.gpu.facts.mig.profiles.{name}"
            last = facts.mig.memory_slices - profile.memory
            beyond = [start for start in profile.starts if start > last]
            reason = why_not(model.mig, {name: profile.max})
            if beyond:
                message = (
                    f"begins at {beyond[0]} and takes {profile.memory} memory slices, and a GPU "
                    f"has {facts.mig.memory_slices}"
                )
                yield Fault(where, message, "compare it with nvidia-smi mig -lgipp on one node")
            elif reason is not None:
                message = f"a GPU is said to hold {profile.max} of it: {reason}"
                yield Fault(where, message, "compare it with nvidia-smi mig -lgip on one node")


RULES: Final[tuple[Rule, ...]] = (gpu_facts_inconsistent,)
