"""GPUs as Slurm counts them: generic resources of a type, gpu:h100:8."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.gpu_args import GpuArgs


def gres_type(gpu: GpuArgs) -> str:
    """Slurm's type of a GPU: h100 for H100-SXM5-80GB, rtx_pro_6000 for RTX-PRO-6000-96GB.

    It is a part of the name that NVIDIA's driver gives, in lower case with underscores, as
    AutoDetect wants it (source: Slurm gres.conf, AutoDetect).
    """
    words = gpu.model.lower().split("-")
    return "_".join(words[:3]) if words[0] == "rtx" else words[0]


def gres(gpu: GpuArgs) -> str:
    """The GPUs of one node, for its line: gpu:h100:8."""
    return f"gpu:{gres_type(gpu)}:{gpu.count}"


def tres(pools: Iterable[NodePoolArgs]) -> tuple[str, ...]:
    """What accounting has to count beside CPUs and memory: gres/gpu, and each type of it."""
    types = sorted({gres_type(pool.gpu) for pool in pools if pool.gpu is not None})
    return ("gres/gpu", *(f"gres/gpu:{one}" for one in types)) if types else ()


def node_settings(settings: Mapping[str, str]) -> str:
    """Settings of a node's line in slurm.conf, as the operator takes them.

    The operator splits the text at blanks and stops for good at a word without "=".

    Raises:
        ValueError: A setting would be split in two, or end the shell's quotes around them.
    """
    for key, value in settings.items():
        if not key.isalnum() or not value or set(value) & set(" \t\n'\"=\\"):
            raise ValueError(f"{key}={value!r} cannot stand in a node's line of slurm.conf")
    return " ".join(f"{key}={value}" for key, value in settings.items())
