"""The site file's words on GPUs: which they are, and what is to be known of unknown ones."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.section import (
    DRIVER_VERSION,
    Bytes,
    FrozenMap,
    Positive,
    Section,
    Text,
    Whole,
    no_truth_value,
)

_DRIVER_OR_BRANCH = r"^[0-9]{3}(\.[0-9]{1,4}){0,2}$"


class MigProfileFacts(Section):
    """One kind of MIG instance of a board, as `nvidia-smi mig -lgip` and `-lgipp` print it."""

    compute: Positive
    """Compute slices that it takes."""

    memory: Positive
    """Memory slices that it takes, in one run."""

    max: Positive
    """The most of its kind on one GPU."""

    starts: Annotated[tuple[Whole, ...], Field(min_length=1)]
    """Memory slices at which it may begin."""


class MigFacts(Section):
    """What a board can be cut into."""

    compute_slices: Positive
    """Compute slices of a GPU."""

    memory_slices: Positive
    """Memory slices of a GPU."""

    min_driver: Annotated[str, Field(pattern=DRIVER_VERSION)] | None = None
    """The oldest driver with MIG on this board."""

    profiles: Annotated[FrozenMap[MigProfileFacts], Field(min_length=1)]
    """Its profiles, by the names that nvidia-smi prints: 3g.40gb."""


class GpuFacts(Section):
    """What the catalogue would say of a GPU. Goes before what it does say."""

    memory: Bytes
    """Memory of one GPU, for example 192Gi."""

    product: Text | None = None
    """What GPU Feature Discovery writes into `nvidia.com/gpu.product`; by default the model's
    name after `NVIDIA-`."""

    compute_capability: Annotated[str, Field(pattern=r"^[1-9][0-9]?\.[0-9]$")]
    """CUDA compute capability, in quotes: "10.0"."""

    min_driver: Annotated[str, Field(pattern=_DRIVER_OR_BRANCH)] | None = None
    """The oldest driver or driver branch that runs it."""

    open_kernel_module: bool = False
    """Whether only the open kernel module runs it."""

    mig: MigFacts | None = None
    """What it can be cut into; none where it has no MIG."""


class GpuArgs(Section):
    """The GPUs of each node of a pool."""

    model: str
    """The GPU's name in the catalogue, for example H100-SXM5-80GB (`gpu-cluster schema` lists
    them all), or a name of your own together with `facts`."""

    count: Annotated[int, Field(ge=1, le=64), BeforeValidator(no_truth_value)] = 8
    """GPUs per node."""

    facts: GpuFacts | None = None
    """What there is to know of a GPU that the catalogue does not have, or whose profiles print
    other names."""
