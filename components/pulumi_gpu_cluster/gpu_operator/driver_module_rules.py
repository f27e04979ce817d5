"""Design rules of what comes with a driver: modules that it can have, images that there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.gpu_operator.driver_source_rules import drivers_of
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed

# source: NVIDIA GPU Operator documentation, precompiled drivers: flavours of Ubuntu's kernels for
# which images are published
_PUBLISHED: Final = ("generic", "nvidia", "aws", "azure", "oracle")


@rule(ERROR)
def peermem_without_ofed(case: Case) -> Iterator[Fault]:
    """The module nvidia-peermem is asked for where no NIC driver is that it could be built with."""
    for path, pool in case.each_pool():
        driver = pool.driver
        if driver is None or driver.source != "operator" or pool.fabric is not None:
            continue
        if driver.rdma == "peermem":
            message = "peermem is built against a NIC driver, and the pool has no fabric"
            fix = "add the pool's fabric, or leave rdma out"
            yield Fault(f"{path}.driver.rdma", message, fix)
    default = case.site.gpu_operator.default_driver
    if default is not None and default.rdma == "peermem":
        message = "peermem is built against a NIC driver, and nodes in no pool have no fabric"
        yield Fault("site.gpu_operator.default_driver.rdma", message, "leave it out")


@rule(ERROR)
def dma_buf_needs_open_module(case: Case) -> Iterator[Fault]:
    """DMA-BUF is asked of a kernel module that does not have it."""
    for path, pool in case.each_pool():
        if pool.driver is None or pool.gpu is None or pool.driver.rdma != "dma-buf":
            continue
        model = model_of(pool.gpu)
        if pool.driver.kernel_module == "proprietary":
            fix = "write kernel_module: open, or rdma: peermem"
            message = "only the open kernel module has DMA-BUF"
            yield Fault(f"{path}.driver.rdma", message, fix)
        elif model is not None and model.kernel_module == "proprietary":
            message = f"{model.name} runs with the proprietary kernel module, without DMA-BUF"
            yield Fault(f"{path}.driver.rdma", message, "write rdma: peermem, or leave it out")


@rule(ERROR)
def gds_needs_open_module(case: Case) -> Iterator[Fault]:
    """GPUDirect Storage is asked for without the open kernel module, in so many words."""
    for path, driver in drivers_of(case):
        if driver.gds and driver.source == "operator" and driver.kernel_module != "open":
            message = (
                f"the operator refuses the driver unless kernel_module is open, and "
                f"{driver.kernel_module} is not"
            )
            yield Fault(f"{path}.gds", message, "write kernel_module: open, or remove gds")


@rule(ERROR)
def precompiled_with_modules(case: Case) -> Iterator[Fault]:
    """Modules are to be compiled beside a driver whose image compiles nothing."""
    for path, driver in drivers_of(case):
        for key in ("gds", "gdrcopy"):
            ours = driver.source == "operator" and driver.precompiled
            if ours and getattr(driver, key):
                message = "the operator refuses it beside precompiled modules"
                yield Fault(f"{path}.{key}", message, f"remove precompiled, or {key}")


@rule(ERROR)
def precompiled_without_kernel(case: Case) -> Iterator[Fault]:
    """Ready-made modules are wanted for no kernel at all."""
    for path, driver in drivers_of(case):
        if driver.precompiled is not None and not driver.precompiled:
            message = "names no kernel, and there is an image for each"
            fix = "add those that uname -r prints on the pool's nodes, or remove it"
            yield Fault(f"{path}.precompiled", message, fix)


@rule(WARNING)
def precompiled_unpublished(case: Case) -> Iterator[Fault]:
    """Ready-made modules are wanted for a kernel of which NVIDIA publishes no images."""
    if case.site.images.registry is not None:
        return
    for path, driver in drivers_of(case):
        others = [
            kernel
            for kernel in driver.precompiled or ()
            if kernel.rpartition("-")[2] not in _PUBLISHED
        ]
        if others:
            message = f"NVIDIA publishes no driver image for {listed(others)}"
            fix = "remove it, or build the image and name its registry in site.images"
            yield Fault(f"{path}.precompiled", message, fix)


RULES: Final[tuple[Rule, ...]] = (
    peermem_without_ofed,
    dma_buf_needs_open_module,
    gds_needs_open_module,
    precompiled_with_modules,
    precompiled_without_kernel,
    precompiled_unpublished,
)
