"""The site file's section on operations."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.span import seconds


def _checked(text: str) -> str:
    seconds(text)
    return text


Span = Annotated[str, AfterValidator(_checked)]
"""A span of time in seconds, minutes or hours: 90s, 30m, 2h."""


class OperationsArgs(Section):
    """How runs behave towards what takes its time."""

    wait: Span = "30m"
    """The longest that a run waits for one node: 90s, 30m or 2h. What is not done then is listed
    in the output `pending`, and the next run goes on with it."""

    evict: bool = False
    """Whether pods that hold the GPUs of a node which is to get another MIG layout are evicted
    after half of `wait`. Otherwise the node takes no new work and waits for them, run after run."""
