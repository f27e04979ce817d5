"""The site file's section on operations."""

from __future__ import annotations

from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.span import Span


class OperationsArgs(Section):
    """How runs behave towards what takes its time."""

    wait: Span = "30m"
    """The longest that a run waits for one node: 90s, 30m or 2h. What is not done then is listed
    in the output `pending`, and the next run goes on with it."""
