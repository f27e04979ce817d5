"""NVIDIA data centre drivers: branches, their ends, and what each architecture needs."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from pulumi_gpu_cluster.catalog.data import load


@dataclass(frozen=True, slots=True)
class Branch:
    """One driver branch.

    Attributes:
        number: The branch: 580.
        kind: long-term, production, new-feature, or ended where no more is known.
        end_of_life: The last day on which it is supported; None where no source gives one.
        ended: Whether it was over already when the sources were read.
        max_cuda: The newest major version of CUDA it runs.
        newest: The newest release seen; None where none was.
        sources: Where this was read.
    """

    number: int
    kind: str
    end_of_life: dt.date | None
    ended: bool
    max_cuda: int
    newest: str | None
    sources: tuple[str, ...]

    def is_over(self, as_of: dt.date) -> bool:
        """Whether it gets no fixes any more on that day."""
        return self.ended or (self.end_of_life is not None and as_of > self.end_of_life)


@dataclass(frozen=True, slots=True)
class Architecture:
    """What an architecture needs of a driver.

    Attributes:
        name: Its name: Hopper.
        first_branch: The oldest branch that runs it; None where all known ones do.
        last_branch: The newest branch that runs it; None where it has not ended.
        kernel_module: Which kernel module flavour runs it.
        first_cuda: The oldest CUDA toolkit that makes code for it; None where all known ones do.
        last_cuda: The last major version of CUDA that does; None where it has not ended.
    """

    name: str
    first_branch: int | None
    last_branch: int | None
    kernel_module: Literal["any", "open", "proprietary"]
    first_cuda: str | None
    last_cuda: int | None


@cache
def _data() -> dict[str, Any]:
    return load("drivers")


@cache
def branches() -> Mapping[int, Branch]:
    """Every branch that is known here, by number."""
    return MappingProxyType(
        {
            raw["branch"]: Branch(
                number=raw["branch"],
                kind=raw["kind"],
                end_of_life=_last_day(raw["end_of_life"]),
                ended=raw["ended"],
                max_cuda=raw["max_cuda"],
                newest=raw["newest"],
                sources=raw["sources"],
            )
            for raw in _data()["branches"]
        }
    )


@cache
def architectures() -> Mapping[str, Architecture]:
    """Every architecture, by name."""
    return MappingProxyType(
        {
            raw["name"]: Architecture(
                name=raw["name"],
                first_branch=raw["first_branch"],
                last_branch=raw["last_branch"],
                kernel_module=raw["kernel_module"],
                first_cuda=raw["first_cuda"],
                last_cuda=raw["last_cuda"],
            )
            for raw in _data()["architectures"]
        }
    )


def qualified() -> tuple[str, ...]:
    """The drivers that the pinned GPU Operator names in its component matrix, oldest first."""
    return tuple(_data()["qualified"]["versions"])


def recommended(as_of: dt.date, serves: Callable[[str], bool] = lambda _: True) -> list[str]:
    """Drivers to recommend on a day: of living branches, or any that serve where none is alive.

    Args:
        as_of: The day.
        serves: Whether a driver does what is wanted.
    """
    serving = [version for version in qualified() if serves(version)]
    alive = [one for one in serving if not branches()[branch_of(one)].is_over(as_of)]
    return alive or serving


def parts(version: str) -> tuple[int, ...]:
    """A driver version or branch as numbers that compare: 580.173.02 is (580, 173, 2)."""
    return tuple(int(part) for part in version.split("."))


def is_older(version: str, than: str) -> bool:
    """Whether a driver is older than another one, or than every driver of a branch."""
    return parts(version) < parts(than)


def branch_of(version: str) -> int:
    """The number of a driver's branch."""
    return parts(version)[0]


def _last_day(month: str | None) -> dt.date | None:
    """The last day of a month such as 2028-06, which is how branches' ends are given."""
    if month is None:
        return None
    year, number = (int(part) for part in month.split("-"))
    return dt.date(year, number, calendar.monthrange(year, number)[1])
