"""The site file's words on GPUs that several pods share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.section import Section, no_truth_value


class SharingArgs(Section):
    """How several pods share each GPU, or each MIG instance, of a pool.

    They ask for `gpu.shared` (or `mig-1g.10gb.shared`) in place of `gpu`, one each: the two never
    go by one name.
    """

    kind: Literal["time-slicing", "mps"]
    """`time-slicing`: pods take turns on the whole GPU, and one of them may take all memory. `mps`:
    they run at the same time, each with an equal part of memory and compute, under one server, so
    that a fault of one may end all. Not on MIG instances."""

    replicas: Annotated[int, Field(ge=2, le=1000), BeforeValidator(no_truth_value)]
    """How many pods share one GPU."""
