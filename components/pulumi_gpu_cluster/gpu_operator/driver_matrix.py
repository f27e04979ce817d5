"""Each pool's driver beside what is known of it: branch, end, CUDA, and what to do next."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from pulumi_gpu_cluster.catalog import cuda, drivers
from pulumi_gpu_cluster.catalog.gpus import GpuModel
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import is_cut
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.site import Site

# A wave over a big pool, with jobs that take days, is planned half a year ahead.
_SOON: Final = dt.timedelta(days=180)
_NEWER: Final = "what a newer GPU Operator brings"


@dataclass(frozen=True, slots=True)
class DriverRow:
    """One pool's driver.

    Attributes:
        pool: The pool.
        gpu: Its GPU, as the catalogue calls it.
        source: Who installs the driver.
        driver: Its version; None where nobody says.
        oldest: The oldest driver for the GPU as the pool cuts it; None where no source says.
        branch: Number of the branch; None where the version is not known.
        kind: What kind of branch it is; None where it is not known here.
        supported_until: The branch's last day; None where no source gives one.
        is_over: Whether it gets no fixes any more.
        kernel_module: The flavour that runs: open, proprietary, or auto for the driver's choice.
        cuda: The newest CUDA of which the driver knows every feature.
        cuda_major: The major version of CUDA that it runs, of whatever minor version.
        next_step: What to do about it.
        notes: What has to be on the machines for it, and is not ours to put there.
    """

    pool: str
    gpu: str
    source: str
    driver: str | None
    oldest: str | None
    branch: int | None
    kind: str | None
    supported_until: dt.date | None
    is_over: bool
    kernel_module: str
    cuda: str | None
    cuda_major: int | None
    next_step: str
    notes: tuple[str, ...]


def driver_matrix(site: Site, as_of: dt.date) -> tuple[DriverRow, ...]:
    """A row for each pool with GPUs, in the order of the file.

    Args:
        site: The site.
        as_of: The day to judge by.
    """
    return tuple(_rows(site, as_of))


def _rows(site: Site, as_of: dt.date) -> Iterator[DriverRow]:
    for pool in site.node_pools:
        if pool.gpu is None:
            continue
        model = model_of(pool.gpu)
        driver = pool.driver or DriverArgs()
        version = driver.version
        branch = drivers.branches().get(drivers.branch_of(version)) if version else None
        newest = cuda.newest_for(version) if version else None
        yield DriverRow(
            pool=pool.name,
            gpu=pool.gpu.model,
            source=driver.source,
            driver=version,
            oldest=_oldest(pool, model),
            branch=drivers.branch_of(version) if version else None,
            kind=branch.kind if branch else None,
            supported_until=branch.end_of_life if branch else None,
            is_over=branch.is_over(as_of) if branch else False,
            kernel_module=_kernel_module(driver, model),
            cuda=cuda.spelled(newest) if newest else None,
            cuda_major=branch.max_cuda if branch else None,
            next_step=_next_step(pool, model, version, as_of),
            notes=tuple(_notes(driver, model, pool.gpu.count)),
        )


def _notes(driver: DriverArgs, model: GpuModel | None, count: int) -> Iterator[str]:
    if model is not None and model.has_nvlink_5:
        # source: NVIDIA/gpu-operator#2781
        yield (
            "the host loads ib_umad and mlx5_ib before the driver (on Ubuntu out of "
            "linux-modules-extra): without them NVLink 5 is not found and CUDA ends with error "
            "802, while the driver's pod is Ready"
        )
    if driver.source == "host" and model is not None and model.is_switched(count):
        yield "the host runs Fabric Manager of exactly the driver's version"
    if driver.precompiled and driver.source == "operator":
        yield "the branch is pinned; which release of it runs, the image for each kernel decides"


def _oldest(pool: NodePoolArgs, model: GpuModel | None) -> str | None:
    if model is None:
        return None
    cut = is_cut(pool)
    return model.oldest_mig_driver if cut else model.oldest_driver


def _kernel_module(driver: DriverArgs, model: GpuModel | None) -> str:
    """The flavour asked for, or the only one that the GPU takes."""
    if driver.kernel_module == "auto" and model is not None and model.kernel_module != "any":
        return model.kernel_module
    return driver.kernel_module


def _next_step(
    pool: NodePoolArgs, model: GpuModel | None, version: str | None, as_of: dt.date
) -> str:
    if model is None:
        return "correct the GPU's name"
    if version is None:
        return "state its version, to have it judged"
    last = model.last_branch
    steps = (
        *_for_the_gpu(model, version, _oldest(pool, model), as_of),
        *_for_its_branch(version, _target(as_of, _oldest(pool, model), last), as_of),
    )
    return next(iter(steps), "nothing")


def _for_the_gpu(
    model: GpuModel, version: str, oldest: str | None, as_of: dt.date
) -> Iterator[str]:
    last = model.last_branch
    there = _target(as_of, oldest, last) or _NEWER
    if oldest is not None and drivers.is_older(version, oldest):
        yield f"move to {there}: older than {oldest}"
    if last is not None and drivers.branch_of(version) > last:
        yield f"go back to {there}: {last} is the last branch for {model.architecture}"


def _for_its_branch(version: str, there: str | None, as_of: dt.date) -> Iterator[str]:
    branch = drivers.branches().get(drivers.branch_of(version))
    if branch is None:
        yield "look for a slip of the pen: no branch known here"
        return
    end = branch.end_of_life
    if branch.is_over(as_of):
        yield f"move to {there or _NEWER}: branch ended" + (f" on {end}" if end else "")
    fixes = [
        one
        for one in drivers.qualified()
        if drivers.branch_of(one) == branch.number and drivers.is_older(version, one)
    ]
    if fixes:
        yield f"move to {fixes[-1]}, of the same branch"
    if end is not None and end - as_of <= _SOON:
        lasts = there is not None and drivers.branch_of(there) != branch.number
        yield f"before {end}: " + (f"{there}, or " if lasts else "") + _NEWER


def _target(as_of: dt.date, oldest: str | None, last: int | None) -> str | None:
    """Where to go: the newest driver of a long-term branch, or the newest of all, if any."""
    good = drivers.recommended(as_of, partial(_serves, oldest, last))
    lasting = [
        one for one in good if drivers.branches()[drivers.branch_of(one)].kind == "long-term"
    ]
    return next(reversed(lasting or good), None)


def _serves(oldest: str | None, last: int | None, version: str) -> bool:
    return (oldest is None or not drivers.is_older(version, oldest)) and (
        last is None or drivers.branch_of(version) <= last
    )
