"""Design rules of the container toolkit: settings that do something where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.gpu_operator.driver_source_rules import drivers_of
from pulumi_gpu_cluster.gpu_operator.toolkit import OWN_CONTAINERD, runtime_of
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule

_TOOLKIT: Final = "site.gpu_operator.toolkit"


@rule(ERROR)
def toolkit_setting_of_another_runtime(case: Case) -> Iterator[Fault]:
    """The toolkit is told of containerd where another runtime is, or none that it configures."""
    args = case.site.gpu_operator
    runtime = runtime_of(args, case.site.control_plane)
    for key in ("socket", "config"):
        if getattr(args.toolkit, key) is None:
            continue
        path = f"{_TOOLKIT}.{key}"
        if args.devices == "nri":
            message = "says nothing to devices: nri, which leaves the runtime's configuration alone"
            yield Fault(path, message, "remove it")
        elif runtime == "cri-o":
            fix = "remove it, or write runtime: containerd"
            yield Fault(path, "is containerd's, and the runtime is cri-o", fix)
        elif key == "config" and runtime in OWN_CONTAINERD:
            message = f"{runtime} writes its containerd's configuration anew at each start"
            fix = "remove it: the toolkit finds what it needs by the socket"
            yield Fault(path, message, fix)


@rule(WARNING)
def toolkit_without_nodes(case: Case) -> Iterator[Fault]:
    """The toolkit has settings, and all nodes bring their own."""
    given = case.site.gpu_operator.toolkit.model_fields_set - {"runtime"}
    drivers = [driver for _, driver in drivers_of(case)]
    if given and drivers and all(driver.whose_toolkit == "host" for driver in drivers):
        message = "says nothing where every pool's host brings the toolkit"
        fix = "remove it, or write toolkit: operator at a pool's driver"
        yield Fault(_TOOLKIT, message, fix)


@rule(ERROR, waivable=False)
def toolkit_of_host_beside_operators_driver(case: Case) -> Iterator[Fault]:
    """A host's own toolkit would look for a driver that lies in the operator's container."""
    for path, driver in drivers_of(case):
        if driver.source == "operator" and driver.whose_toolkit == "host":
            message = "a host's toolkit does not find the driver that the operator installs"
            fix = "remove it: the operator brings both, or the host does"
            yield Fault(f"{path}.toolkit", message, fix)


RULES: Final[tuple[Rule, ...]] = (
    toolkit_setting_of_another_runtime,
    toolkit_without_nodes,
    toolkit_of_host_beside_operators_driver,
)
