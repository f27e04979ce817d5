"""Design rules of drivers: old enough, new enough, known, alive, with the right kernel module."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from pulumi_gpu_cluster.catalog import drivers, versions
from pulumi_gpu_cluster.catalog.gpus import GPUS, GpuModel
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import is_cut
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed

# source: NVIDIA/gpu-operator v26.7.0: MIG Manager asks the driver for the board's profiles, which
# this branch cannot tell, and falls back to a table that is the same for all boards
_NO_GENERATED_LAYOUTS: Final = 535


@rule(ERROR, waivable=False)
def gpu_unknown_model(case: Case) -> Iterator[Fault]:
    """A GPU model is not in the catalogue."""
    for path, pool in case.each_pool():
        if pool.gpu is not None and model_of(pool.gpu) is None:
            message = f"{pool.gpu.model!r} is not in the catalogue of GPUs"
            fix = f"{instead(pool.gpu.model, list(GPUS))} or tell what it is by gpu.facts"
            yield Fault(f"{path}.gpu.model", message, fix)


@rule(ERROR, waivable=False)
def driver_missing(case: Case) -> Iterator[Fault]:
    """A GPU pool pins no driver."""
    for path, pool in case.each_pool():
        if pool.gpu is None:
            continue
        good = listed(drivers.recommended(case.as_of), "or")
        if pool.driver is None:
            fix = f"add driver: {good}; or {{source: host}}, or {{source: managed}}"
            yield Fault(f"{path}.driver", "is missing: nothing says which driver runs here", fix)
        elif pool.driver.source == "operator" and pool.driver.version is None:
            fix = f"add version: {good}"
            message = "is missing, and the GPU Operator installs what it says"
            yield Fault(f"{path}.driver.version", message, fix)


@rule(ERROR, waivable=False)
def gpu_setting_without_gpu(case: Case) -> Iterator[Fault]:
    """A pool without GPUs has a driver, a MIG layout, or shares its GPUs."""
    for path, pool in case.each_pool():
        if pool.gpu is None:
            for key in ("driver", "mig", "sharing"):
                if getattr(pool, key) is not None:
                    fix = f"add gpu: {{model: ..., count: ...}}, or remove {key}"
                    yield Fault(f"{path}.{key}", "is set on a pool without GPUs", fix)


@rule(ERROR)
def driver_too_old(case: Case) -> Iterator[Fault]:
    """A driver is older than the GPU, or MIG on the GPU, needs."""
    for path, pool, model, driver, version in _pinned(case):
        with_mig = is_cut(pool)
        oldest = model.oldest_mig_driver if with_mig else model.oldest_driver
        purpose = f"MIG on {model.name}" if with_mig else model.name
        if oldest is not None and drivers.is_older(version, oldest):
            enough = drivers.recommended(case.as_of, partial(_at_least, oldest))
            message = f"{version} is older than {oldest}, the oldest driver for {purpose}"
            yield Fault(
                version_path(f"{path}.driver", driver), message, f"use {listed(enough, 'or')}"
            )


@rule(ERROR)
def driver_too_new(case: Case) -> Iterator[Fault]:
    """A driver's branch no longer runs the GPU's architecture."""
    for path, _, model, driver, version in _pinned(case):
        last = model.last_branch
        if last is not None and drivers.branch_of(version) > last:
            message = f"{version}: branch {last} is the last one for {model.architecture} GPUs"
            enough = drivers.recommended(case.as_of, partial(_up_to, last))
            yield Fault(
                version_path(f"{path}.driver", driver), message, f"use {listed(enough, 'or')}"
            )


@rule(WARNING)
def driver_unknown(case: Case) -> Iterator[Fault]:
    """A driver is none that the GPU Operator's release names, or of an unknown branch."""
    for where, driver, version in _stated(case):
        if drivers.branch_of(version) not in drivers.branches():
            message = f"{version} is of no branch that is known here"
            yield Fault(where, message, "look for a slip of the pen")
        elif driver.source == "operator" and version not in drivers.qualified():
            message = f"{version} is not among the drivers of GPU Operator {versions.GPU_OPERATOR}"
            good = listed(drivers.recommended(case.as_of), "or")
            fix = f"use {good}, or make sure that its image exists"
            yield Fault(where, message, fix)


@rule(WARNING)
def driver_branch_ended(case: Case) -> Iterator[Fault]:
    """A driver's branch gets no fixes any more."""
    for where, _, version in _stated(case):
        branch = drivers.branches().get(drivers.branch_of(version))
        if branch is not None and branch.is_over(case.as_of):
            last = f", on {branch.end_of_life}" if branch.end_of_life is not None else ""
            fix = f"move to {listed(drivers.recommended(case.as_of), 'or')}"
            message = f"{version}: branch {branch.number} has ended{last}"
            yield Fault(where, message, fix)


@rule(ERROR)
def kernel_module_mismatch(case: Case) -> Iterator[Fault]:
    """A kernel module flavour is chosen that does not run the GPU."""
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if model is None or pool.driver is None or pool.driver.kernel_module == "auto":
            continue
        if model.kernel_module not in ("any", pool.driver.kernel_module):
            message = f"{model.name} runs with the {model.kernel_module} kernel module only"
            fix = f"write {model.kernel_module}, or leave it at auto"
            yield Fault(f"{path}.driver.kernel_module", message, fix)


@rule(WARNING)
def kernel_module_without_effect(case: Case) -> Iterator[Fault]:
    """A kernel module flavour is chosen where we do not install the driver."""
    for path, pool in case.each_pool():
        driver = pool.driver
        if driver is not None and driver.source != "operator" and driver.kernel_module != "auto":
            message = f"says nothing to a driver that comes from {driver.source}"
            yield Fault(f"{path}.driver.kernel_module", message, "remove it")


@rule(WARNING)
def mig_layouts_not_generated(case: Case) -> Iterator[Fault]:
    """MIG runs on a driver that cannot tell its board's profiles."""
    for path, pool, _, driver, version in _pinned(case):
        if is_cut(pool) and drivers.branch_of(version) <= _NO_GENERATED_LAYOUTS:
            message = f"with {version} MIG Manager takes layouts from one table for all boards"
            newer = drivers.recommended(
                case.as_of, partial(_at_least, str(_NO_GENERATED_LAYOUTS + 1))
            )
            fix = f"use {listed(newer, 'or')}"
            yield Fault(version_path(f"{path}.driver", driver), message, fix)


def _stated(case: Case) -> Iterator[tuple[str, DriverArgs, str]]:
    """Every version that the file states with its path, that of nodes in no pool too."""
    for path, _, _, driver, version in _pinned(case):
        yield version_path(f"{path}.driver", driver), driver, version
    default = case.site.gpu_operator.default_driver
    if default is not None and default.version is not None:
        path = version_path("site.gpu_operator.default_driver", default)
        yield path, default, default.version


def _pinned(case: Case) -> Iterator[tuple[str, NodePoolArgs, GpuModel, DriverArgs, str]]:
    """Pools with a known GPU and a driver version, whoever installs it."""
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if model is not None and pool.driver is not None and pool.driver.version is not None:
            yield path, pool, model, pool.driver, pool.driver.version


def _at_least(oldest: str, version: str) -> bool:
    return not drivers.is_older(version, oldest)


def _up_to(branch: int, version: str) -> bool:
    return drivers.branch_of(version) <= branch


def version_path(path: str, driver: DriverArgs) -> str:
    """Where the version stands: in the shorthand there is no key for it."""
    shorthand = driver.model_fields_set == {"version"}
    return path if shorthand else f"{path}.version"


RULES: Final[tuple[Rule, ...]] = (
    gpu_unknown_model,
    driver_missing,
    gpu_setting_without_gpu,
    driver_too_old,
    driver_too_new,
    driver_unknown,
    driver_branch_ended,
    kernel_module_mismatch,
    kernel_module_without_effect,
    mig_layouts_not_generated,
)
