"""What images ask of CUDA, as the site file states it for a tenant or for notebooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.section import CUDA_VERSION, Section, shorthand


class CudaArgs(Section):
    """The CUDA that images are built with."""

    version: Annotated[str, Field(pattern=CUDA_VERSION)]
    """Major and minor, for example "13.0"."""

    forward_compat: bool = False
    """Whether the images carry NVIDIA's forward-compatibility package (cuda-compat-13-0), with
    which GPUs of data centres run a newer major version than their driver knows."""


Cuda = Annotated[
    CudaArgs,
    BeforeValidator(
        shorthand("version", str, wanted='a version in quotes, such as "13.0"'),
        json_schema_input_type=str | CudaArgs,
    ),
]
"""The CUDA of images: its version in quotes, or an object."""
