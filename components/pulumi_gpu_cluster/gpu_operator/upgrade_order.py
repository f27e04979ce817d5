"""The GPU Operator is raised by itself: not in the run that changes a driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.findings import Finding, error

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site

_OPERATOR: Final = "gpu_operator"


def operator_and_driver_at_once(outputs: Mapping[str, Any], site: Site) -> list[Finding]:
    """Pools whose driver changes in the run that raises the operator.

    Another operator replaces driver pods too. Should a node not come back after both, nobody can
    tell which of the two to take back.

    Args:
        outputs: What the last run of the stack left, of whatever age.
        site: The site.
    """
    before = _mapping(outputs.get("versions")).get(_OPERATOR)
    if before in {None, versions.GPU_OPERATOR}:
        return []
    drivers = dict(_drivers(outputs.get("pools")))
    return [
        error(
            "operator-and-driver-at-once",
            f"site.node_pools[{position}].driver",
            f"goes from {drivers[pool.name]} to {pool.driver.version} in the run that brings the "
            f"GPU Operator from {before} to {versions.GPU_OPERATOR}",
            f"put {drivers[pool.name]} back, run pulumi up, and change the driver after it",
        )
        for position, pool in enumerate(site.node_pools)
        if pool.driver is not None
        and pool.driver.source == "operator"
        and drivers.get(pool.name, pool.driver.version) != pool.driver.version
    ]


def _drivers(pools: object) -> Iterator[tuple[str, str]]:
    if not isinstance(pools, Sequence):
        return
    for one in cast("Sequence[object]", pools):
        pool = _mapping(one)
        if isinstance(pool.get("name"), str) and isinstance(pool.get("driver"), str):
            yield pool["name"], pool["driver"]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
