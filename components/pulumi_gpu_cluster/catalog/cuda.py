"""CUDA toolkits: which drivers run what was built with them, and how well."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from pulumi_gpu_cluster.catalog import drivers
from pulumi_gpu_cluster.catalog.data import load

Toolkit = tuple[int, int]
"""A toolkit, major and minor: (13, 0). Its updates make no difference to what is asked here."""

Support = Literal["full", "minor", "none"]
"""`full`: the driver knows all of the toolkit's features. `minor`: it runs what was built with it,
within one major version, but not features that came later, nor code that is compiled when it
starts. `none`: only with NVIDIA's forward-compatibility package."""


def toolkit(version: str) -> Toolkit:
    """A version as it compares: "12.8" is older than "12.10"."""
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def spelled(version: Toolkit) -> str:
    """A toolkit as people write it: 13.0."""
    return f"{version[0]}.{version[1]}"


@cache
def toolkits() -> Mapping[Toolkit, str]:
    """Every toolkit from 12.0 on, with the driver that it was released with."""
    return MappingProxyType(
        {toolkit(raw["toolkit"]): raw["driver"] for raw in load("drivers")["cuda_toolkits"]}
    )


@cache
def floors() -> Mapping[int, str]:
    """The oldest driver that runs anything of a major version, by that version."""
    return MappingProxyType({raw["major"]: raw["driver"] for raw in load("drivers")["cuda_floors"]})


def newest_for(driver: str) -> Toolkit | None:
    """The newest toolkit of which a driver knows every feature; None where no source says."""
    known = [one for one, with_it in toolkits().items() if not drivers.is_older(driver, with_it)]
    return max(known, default=None)


def support(driver: str, wanted: Toolkit) -> Support:
    """How well a driver runs what was built with a toolkit.

    Drivers run everything older than themselves.
    """
    newest = newest_for(driver)
    if newest is not None and wanted <= newest:
        return "full"
    floor = floors().get(wanted[0])
    if floor is None:
        return "full" if wanted[0] < _OLDEST else "none"
    return "none" if drivers.is_older(driver, floor) else "minor"


def oldest_driver(wanted: Toolkit) -> str | None:
    """The oldest driver that runs what was built with a toolkit; None where no source says."""
    return floors().get(wanted[0])


_OLDEST: Final = 11
