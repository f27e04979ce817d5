"""Design rules of CUDA: what images are built with runs on the GPUs and drivers they come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pulumi_gpu_cluster.catalog import cuda, drivers
from pulumi_gpu_cluster.catalog.gpus import GpuModel
from pulumi_gpu_cluster.cuda import CudaArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import hub_tenants, profiles


@dataclass(frozen=True, slots=True)
class Asked:
    """Images of one CUDA that come to GPU pools.

    Attributes:
        path: Where the site file says so.
        args: What it says.
        pools: The pools with GPUs that they may run in.
    """

    path: str
    args: CudaArgs
    pools: Sequence[NodePoolArgs]

    @property
    def version_path(self) -> str:
        """Where the version stands: in the shorthand there is no key for it."""
        shorthand = self.args.model_fields_set == {"version"}
        return self.path if shorthand else f"{self.path}.version"

    @property
    def toolkit(self) -> cuda.Toolkit:
        """The version as it compares."""
        return cuda.toolkit(self.args.version)


def asked(case: Case) -> Iterator[Asked]:
    """Every statement about images' CUDA in a site."""
    for index, tenant in enumerate(case.site.tenants):
        if tenant.cuda is not None:
            quotas = tenant.quota.pools
            named = [
                pool
                for pool in case.site.node_pools
                if pool.gpu is not None and pool.name in quotas and quotas[pool.name].devices
            ]
            yield Asked(f"site.tenants[{index}].cuda", tenant.cuda, named)
    hub = case.site.workloads.jupyterhub
    if hub is not None and hub.cuda is not None:
        chosen = {
            profile.pool.name: profile.pool
            for tenant in hub_tenants(case.site)
            for profile in profiles(case.site, hub, tenant)
            if profile.devices
        }
        yield Asked("site.workloads.jupyterhub.cuda", hub.cuda, list(chosen.values()))


@rule(WARNING)
def cuda_unknown(case: Case) -> Iterator[Fault]:
    """A CUDA version is none that is known here."""
    newest = max(cuda.toolkits())
    oldest = min(cuda.toolkits())
    for one in asked(case):
        if one.toolkit >= oldest and one.toolkit not in cuda.toolkits():
            known = cuda.spelled(newest)
            fix = f"look for a slip of the pen; the newest that is known here is {known}"
            yield Fault(one.version_path, f"{one.args.version} is no CUDA toolkit known here", fix)


@rule(ERROR)
def cuda_too_new(case: Case) -> Iterator[Fault]:
    """A driver does not run what images are built with."""
    for one, pool, model, driver in _judged(case):
        if one.args.forward_compat or cuda.support(driver, one.toolkit) != "none":
            continue
        message = f"{one.args.version} does not run on driver {driver} of pool {pool.name}"
        ways = [f"build with {_runs(driver)}"]
        oldest = cuda.oldest_driver(one.toolkit)
        if oldest is not None:
            message += f": CUDA {one.toolkit[0]} needs {oldest} or newer"
            enough = drivers.recommended(case.as_of, partial(_serves, model, oldest))
            if enough:
                ways.insert(0, f"move the pool to {listed(enough, 'or')}")
        if model.data_centre:
            package = f"cuda-compat-{one.toolkit[0]}-{one.toolkit[1]}"
            ways.append(f"write forward_compat: true where the images carry {package}")
        yield Fault(one.version_path, message, "; or ".join(ways))


@rule(ERROR)
def cuda_dropped_gpu(case: Case) -> Iterator[Fault]:
    """Images are built with a CUDA that makes no code for the GPU any more."""
    for one, pool, model in _on_gpus(case):
        last = model.family.last_cuda if model.family is not None else None
        if last is not None and one.toolkit[0] > last:
            message = (
                f"CUDA {one.toolkit[0]} makes no code for the {model.architecture} GPUs of pool "
                f"{pool.name}"
            )
            fix = f"build with CUDA {last}, or take the quota in that pool away"
            yield Fault(one.version_path, message, fix)


@rule(WARNING)
def cuda_before_gpu(case: Case) -> Iterator[Fault]:
    """Images are built with a CUDA that is older than the GPU."""
    for one, pool, model in _on_gpus(case):
        first = model.family.first_cuda if model.family is not None else None
        if first is not None and one.toolkit < cuda.toolkit(first):
            message = (
                f"{one.args.version} makes no code for the {model.architecture} GPUs of pool "
                f"{pool.name}: they run only what is in the image as PTX, and compile it at start"
            )
            yield Fault(one.version_path, message, f"build with CUDA {first} or newer")


@rule(ERROR)
def cuda_compat_not_for_gpu(case: Case) -> Iterator[Fault]:
    """Forward compatibility is counted on where NVIDIA does not support it."""
    for one, pool, model in _on_gpus(case):
        if one.args.forward_compat and not model.data_centre:
            message = f"{model.name} of pool {pool.name} is not among the GPUs that it is made for"
            fix = "remove it and move the pool to a newer driver, or build with an older CUDA"
            yield Fault(f"{one.path}.forward_compat", message, fix)


@rule(WARNING)
def cuda_compat_needless(case: Case) -> Iterator[Fault]:
    """Images carry a CUDA driver of their own that is not newer than the pool's."""
    for one, pool, _, driver in _judged(case):
        if one.args.forward_compat and cuda.support(driver, one.toolkit) == "full":
            message = (
                f"driver {driver} of pool {pool.name} knows CUDA {one.args.version} by itself, and "
                "beside a newer driver the package's own stops with an error"
            )
            fix = "remove it, and the package from the images or from their library path"
            yield Fault(f"{one.path}.forward_compat", message, fix)


@rule(WARNING)
def cuda_not_judged(case: Case) -> Iterator[Fault]:
    """Images say what they ask for, and nobody says which driver their pool runs."""
    for one, pool, _ in _on_gpus(case):
        if pool.driver is not None and pool.driver.version is None:
            message = f"cannot be judged for pool {pool.name}: its driver's version is not stated"
            fix = f"write driver: {{source: {pool.driver.source}, version: ...}} at that pool"
            yield Fault(one.version_path, message, fix)


def _on_gpus(case: Case) -> Iterator[tuple[Asked, NodePoolArgs, GpuModel]]:
    """Each statement with each of its pools whose GPU is known."""
    for one in asked(case):
        for pool in one.pools:
            model = model_of(pool.gpu) if pool.gpu is not None else None
            if model is not None:
                yield one, pool, model


def _judged(case: Case) -> Iterator[tuple[Asked, NodePoolArgs, GpuModel, str]]:
    """Those among them whose driver is known."""
    for one, pool, model in _on_gpus(case):
        if pool.driver is not None and pool.driver.version is not None:
            yield one, pool, model, pool.driver.version


def _serves(model: GpuModel, oldest: str, version: str) -> bool:
    last = model.last_branch
    return not drivers.is_older(version, oldest) and (
        last is None or drivers.branch_of(version) <= last
    )


def _runs(driver: str) -> str:
    newest = cuda.newest_for(driver)
    return "an older CUDA" if newest is None else f"CUDA {cuda.spelled(newest)} or older"


RULES: Final[tuple[Rule, ...]] = (
    cuda_unknown,
    cuda_too_new,
    cuda_dropped_gpu,
    cuda_before_gpu,
    cuda_compat_not_for_gpu,
    cuda_compat_needless,
    cuda_not_judged,
)
