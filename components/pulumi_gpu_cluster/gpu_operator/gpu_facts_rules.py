"""Design rules of what a site tells of GPUs that the catalogue does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog.gpus import GpuModel
from pulumi_gpu_cluster.catalog.mig import why_not
from pulumi_gpu_cluster.kubernetes_names import VALUE_WORDS, is_label_value
from pulumi_gpu_cluster.node_pools.gpu_args import MigProfileFacts
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import shown

_NAME: Final = re.compile(r"([0-9]+)g\.([0-9]+)gb")
# Names round memory: what the catalogue's boards print is within an eighth of it.
_ROUNDED: Final = 0.25


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
            elif named := _otherwise_named(model, name, profile):
                yield Fault(where, named, "compare it with nvidia-smi mig -lgip on one node")
            elif reason is not None:
                message = f"a GPU is said to hold {profile.max} of it: {reason}"
                yield Fault(where, message, "compare it with nvidia-smi mig -lgip on one node")


@rule(ERROR, waivable=False)
def gpu_model_malformed(case: Case) -> Iterator[Fault]:
    """A GPU of the site's own has a name that no label and no Slurm setting can hold."""
    for path, pool in case.each_pool():
        gpu = pool.gpu
        if gpu is None or gpu.facts is None or (gpu.model and is_label_value(gpu.model)):
            continue
        message = f"{shown(gpu.model)} cannot be a label's value, which the name of a GPU becomes"
        yield Fault(f"{path}.gpu.model", message, f"use {VALUE_WORDS}")


def _otherwise_named(model: GpuModel, name: str, profile: MigProfileFacts) -> str | None:
    """How a profile's name and numbers contradict each other: nvidia-smi names it by them."""
    words = _NAME.match(name)
    if words is None or model.mig is None:
        return None
    if int(words[1]) != profile.compute:
        return f"is named after {words[1]} compute slices, and takes {profile.compute}"
    has = model.memory_gb * profile.memory / model.mig.memory_slices
    if abs(int(words[2]) - has) > has * _ROUNDED:
        return (
            f"is named after {words[2]} GB, and {profile.memory} of {model.mig.memory_slices} "
            f"memory slices of {model.memory_gb} GB are {has:.0f}"
        )
    return None


RULES: Final[tuple[Rule, ...]] = (gpu_facts_inconsistent, gpu_model_malformed)
