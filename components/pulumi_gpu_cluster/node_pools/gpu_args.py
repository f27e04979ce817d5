"""The site file's words on GPUs: which they are, and what is to be known of unknown ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from pulumi_gpu_cluster.kubernetes_names import VALUE_WORDS, is_label_value
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.section import (
    COMPUTE_CAPABILITY,
    DRIVER_OR_BRANCH,
    DRIVER_VERSION,
    Bytes,
    Section,
    Text,
    no_truth_value,
)

# Boards have up to 8 of them. Past this a slip of the pen would make the search for places long.
_MOST_SLICES: Final = 16

_Slices = Annotated[int, Field(ge=1, le=_MOST_SLICES), BeforeValidator(no_truth_value)]
_Slice = Annotated[int, Field(ge=0, le=_MOST_SLICES - 1), BeforeValidator(no_truth_value)]


# Less is a unit that was mixed up: 192Mi.
_LEAST_MEMORY: Final = 2**30


def _of_a_gpu(amount: str) -> str:
    if value(amount) < _LEAST_MEMORY:
        raise ValueError("is less than any GPU has; write the memory of one GPU, such as 192Gi")
    return amount


def _label_value(text: str) -> str:
    if not is_label_value(text):
        raise ValueError(f"is no value of a label; write {VALUE_WORDS}")
    return text


class MigProfileFacts(Section):
    """One kind of MIG instance of a board, as `nvidia-smi mig -lgip` and `-lgipp` print it."""

    compute: _Slices
    """Compute slices that it takes."""

    memory: _Slices
    """Memory slices that it takes, in one run."""

    max: _Slices
    """The most of its kind on one GPU."""

    starts: Annotated[tuple[_Slice, ...], Field(min_length=1)]
    """Memory slices at which it may begin."""


_PROFILE: Final = re.compile(r"[1-9][0-9]?g\.[1-9][0-9]{0,4}gb([+-][a-z][a-z.]{0,20}[a-z]){0,2}")


def _profile(text: str) -> str:
    if _PROFILE.fullmatch(text) is None:
        raise ValueError("is no profile; write it as nvidia-smi mig -lgip does: 3g.40gb")
    return text


_Profiles = Annotated[
    Mapping[Annotated[str, AfterValidator(_profile)], MigProfileFacts],
    Field(min_length=1),
    AfterValidator(lambda profiles: MappingProxyType(dict(profiles))),
    PlainSerializer(dict, return_type=dict[str, Any]),
]


class MigFacts(Section):
    """What a board can be cut into."""

    compute_slices: _Slices
    """Compute slices of a GPU."""

    memory_slices: _Slices
    """Memory slices of a GPU."""

    min_driver: Annotated[str, Field(pattern=DRIVER_VERSION)] | None = None
    """The oldest driver with MIG on this board."""

    profiles: _Profiles
    """Its profiles, by the names that nvidia-smi prints: 3g.40gb."""


class GpuFacts(Section):
    """What the catalogue would say of a GPU. Goes before what it does say."""

    memory: Annotated[Bytes, AfterValidator(_of_a_gpu)]
    """Memory of one GPU, for example 192Gi."""

    product: Annotated[Text, AfterValidator(_label_value)] | None = None
    """What GPU Feature Discovery writes into `nvidia.com/gpu.product`; by default the model's
    name after `NVIDIA-`."""

    compute_capability: Annotated[str, Field(pattern=COMPUTE_CAPABILITY)]
    """CUDA compute capability, in quotes: "10.0"."""

    min_driver: Annotated[str, Field(pattern=DRIVER_OR_BRANCH)] | None = None
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
