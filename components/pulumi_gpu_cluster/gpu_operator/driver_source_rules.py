"""Design rules of who brings a driver: settings that it takes, labels that the operator needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed


def drivers_of(case: Case) -> Iterator[tuple[str, DriverArgs]]:
    """Each driver of the file with its path."""
    for path, pool in case.each_pool():
        if pool.gpu is not None and pool.driver is not None:
            yield f"{path}.driver", pool.driver
    default = case.site.gpu_operator.default_driver
    if default is not None:
        yield "site.gpu_operator.default_driver", default


@rule(ERROR)
def driver_setting_without_operator(case: Case) -> Iterator[Fault]:
    """A pool with a driver of its own asks for what only the operator's driver brings."""
    for path, driver in drivers_of(case):
        if driver.source == "operator":
            continue
        wanted = {
            "precompiled": driver.precompiled is not None,
            "rdma": driver.rdma == "peermem",
            "gds": driver.gds,
            "gdrcopy": driver.gdrcopy,
            "module_options": bool(driver.module_options),
        }
        for key, given in wanted.items():
            if given:
                message = f"the operator would bring it, and the driver comes from {driver.source}"
                fix = "put it into the machine's image and remove it here, or let the operator"
                yield Fault(f"{path}.{key}", message, f"{fix} install the driver")


@rule(ERROR)
def fabric_manager_differs(case: Case) -> Iterator[Fault]:
    """Fabric Manager on a host is of another version than the driver, and then stops."""
    for path, driver in drivers_of(case):
        if driver.fabric_manager is None:
            continue
        if driver.source != "host":
            message = f"comes with a driver from {driver.source}"
            yield Fault(f"{path}.fabric_manager", message, "remove it")
        elif driver.fabric_manager != driver.version:
            is_there = f"is {driver.version}" if driver.version else "has no version here"
            message = f"{driver.fabric_manager} starts only beside its own driver, which {is_there}"
            fix = "install and write the same version of both"
            yield Fault(f"{path}.fabric_manager", message, fix)


@rule(WARNING)
def fabric_manager_unstated(case: Case) -> Iterator[Fault]:
    """NVSwitches need a Fabric Manager that the host brings, and nothing says that it does."""
    for path, pool in case.each_pool():
        driver = pool.driver
        if driver is None or driver.source != "host" or not _joined_by_switches(pool):
            continue
        if driver.fabric_manager is None:
            message = (
                "is not stated: without a Fabric Manager of the driver's version on the host CUDA "
                "finds no usable GPU behind NVSwitches"
            )
            fix = f"add fabric_manager: {driver.version or 'its version'}"
            yield Fault(f"{path}.driver.fabric_manager", message, fix)


@rule(WARNING)
def driver_cr_gap(case: Case) -> Iterator[Fault]:
    """Nodes that we never touch need labels by which the operator leaves their driver alone."""
    if not any(driver.source == "operator" for _, driver in drivers_of(case)):
        return
    for path, pool in case.each_pool():
        driver = pool.driver
        if pool.selector is None or pool.gpu is None or driver is None:
            continue
        labels = {
            "nvidia.com/gpu.deploy.driver": driver.source != "operator",
            "nvidia.com/gpu.deploy.container-toolkit": driver.whose_toolkit == "host",
        }
        needed = [f"{label}=false" for label, off in labels.items() if off]
        if needed:
            message = (
                "we set no labels on its nodes, and beside pools with the operator's driver these "
                f"need {listed(needed)}"
            )
            fix = (
                "have them set where the nodes are made, before the operator is there; accept this"
            )
            yield Fault(f"{path}.driver", message, fix)


@rule(ERROR, waivable=False)
def default_driver_not_installed(case: Case) -> Iterator[Fault]:
    """The driver of nodes that are in no pool is none that the operator could install."""
    driver = case.site.gpu_operator.default_driver
    if driver is None:
        return
    path = "site.gpu_operator.default_driver"
    if driver.source != "operator":
        message = f"nodes outside all pools get nothing by source: {driver.source}"
        yield Fault(f"{path}.source", message, "remove default_driver")
    elif driver.version is None:
        fix = "add the version that the operator is to install"
        yield Fault(f"{path}.version", "is missing", fix)


def _joined_by_switches(pool: NodePoolArgs) -> bool:
    model = model_of(pool.gpu) if pool.gpu is not None else None
    return model is not None and pool.gpu is not None and model.is_switched(pool.gpu.count)


RULES: Final[tuple[Rule, ...]] = (
    driver_setting_without_operator,
    fabric_manager_differs,
    fabric_manager_unstated,
    driver_cr_gap,
    default_driver_not_installed,
)
