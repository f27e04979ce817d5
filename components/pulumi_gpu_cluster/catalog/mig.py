"""MIG: which instances a board can be cut into, and where on the board they may lie.

A board is a row of memory slices. An instance takes a run of them that may begin only at
certain slices, and a number of compute slices. That a set of instances fits is therefore a
small search, done here, and not a sum: three instances of three slices may add up and yet
find no place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pulumi_gpu_cluster.catalog.data import load

DISABLED: Final = "all-disabled"
"""The layout of whole GPUs: MIG mode is off."""

ENABLED: Final = "all-enabled"
"""MIG mode is on and no instance is there: such a node has nothing to give."""

BALANCED: Final = "all-balanced"
"""A mix of small and large instances on each GPU."""

# source: NVIDIA/mig-parted v0.15.0 pkg/mig/builder/balanced.go (boards of 7 and 4 slices only)
_BALANCED_SLICES: Final[Mapping[int, Mapping[int, int]]] = MappingProxyType(
    {7: {1: 2, 2: 1, 3: 1}, 4: {1: 2, 2: 1}}
)
_ALL: Final = "all-"


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of instance on one board.

    Attributes:
        name: As nvidia-smi prints it: 3g.40gb, 1g.10gb+me.
        compute_slices: Compute slices it takes.
        memory_slices: Memory slices it takes, in one run.
        max_instances: The most of its kind on one GPU.
        starts: Memory slices at which it may begin.
    """

    name: str
    compute_slices: int
    memory_slices: int
    max_instances: int
    starts: tuple[int, ...]

    @property
    def label(self) -> str:
        """The name as it stands in labels and resources, which take no plus sign."""
        return self.name.replace("+", ".")

    @property
    def layout(self) -> str:
        """The layout that fills a GPU with this profile: all-3g.40gb."""
        return f"{_ALL}{self.label}"

    @property
    def takes_media(self) -> bool:
        """Whether it takes the media engines that only one instance of a GPU can have."""
        return "+me" in self.name


@dataclass(frozen=True, slots=True)
class MigBoard:
    """What one board can be cut into.

    Attributes:
        id: Its id here: h100-80gb.
        compute_slices: Compute slices of a GPU.
        memory_slices: Memory slices of a GPU.
        max_instances: The most instances of any kinds on one GPU.
        min_driver: The oldest driver with MIG on this board; None where no source says.
        profiles: Its profiles by name.
        pci_devices: Device and vendor of such boards on the PCI bus, as MIG Manager filters by
            them: 0x20B210DE. None where no source says.
        placements_by_analogy: Whether the starts were taken from a board of the same build.
        names_vary: Whether some units or drivers print other profile names than these.
        sources: Where this was read.
    """

    id: str
    compute_slices: int
    memory_slices: int
    max_instances: int
    min_driver: str | None
    profiles: Mapping[str, Profile]
    pci_devices: tuple[str, ...] = ()
    placements_by_analogy: bool = False
    names_vary: bool = False
    sources: tuple[str, ...] = ()

    @property
    def layouts(self) -> tuple[str, ...]:
        """Every layout MIG Manager makes for this board, by name."""
        balanced = () if _balanced(self) is None else (BALANCED,)
        filled = tuple(profile.layout for profile in self.profiles.values())
        return (DISABLED, ENABLED, *balanced, *filled)


@cache
def boards() -> Mapping[str, MigBoard]:
    """Every board with MIG, by id."""
    return MappingProxyType({raw["id"]: _board(raw) for raw in load("mig")["boards"]})


def _board(raw: Mapping[str, Any]) -> MigBoard:
    profiles = {
        row["name"]: Profile(
            name=row["name"],
            compute_slices=row["compute"],
            memory_slices=row["memory"],
            max_instances=row["max"],
            starts=tuple(row["starts"]),
        )
        for row in raw["profiles"]
    }
    return MigBoard(
        id=raw["id"],
        compute_slices=raw["compute_slices"],
        memory_slices=raw["memory_slices"],
        max_instances=raw["max_instances"],
        min_driver=raw["min_driver"],
        profiles=MappingProxyType(profiles),
        pci_devices=tuple(raw["pci_devices"]),
        placements_by_analogy=raw["placements_by_analogy"],
        names_vary=raw["names_vary"],
        sources=raw["sources"],
    )


def instances_of(board: MigBoard, layout: str) -> Mapping[str, int] | None:
    """The instances one GPU has under a named layout.

    Returns:
        Profile name to count; empty for `all-disabled` and `all-enabled`; None where MIG
        Manager makes no such layout for the board.
    """
    if layout in (DISABLED, ENABLED):
        return MappingProxyType({})
    if layout == BALANCED:
        return _balanced(board)
    for profile in board.profiles.values():
        if profile.layout == layout:
            return MappingProxyType({profile.name: profile.max_instances})
    return None


def _balanced(board: MigBoard) -> Mapping[str, int] | None:
    wanted = _BALANCED_SLICES.get(board.compute_slices)
    if wanted is None:
        return None
    # Of several profiles with as many compute slices, MIG Manager takes the plain one with the
    # least memory.
    chosen: dict[str, int] = {}
    for slices, count in wanted.items():
        plain = [
            profile
            for profile in board.profiles.values()
            if profile.compute_slices == slices and profile.name.endswith("gb")
        ]
        if not plain:
            return None
        chosen[min(plain, key=lambda profile: profile.memory_slices).name] = count
    return MappingProxyType(chosen)


def fits(board: MigBoard, instances: Mapping[str, int]) -> bool:
    """Whether one GPU can hold these instances at the same time."""
    return why_not(board, instances) is None


def why_not(board: MigBoard, instances: Mapping[str, int]) -> str | None:
    """The reason why one GPU cannot hold these instances, or None where it can.

    Args:
        board: The board.
        instances: Profile name to count.
    """
    unknown = sorted(set(instances) - set(board.profiles))
    if unknown:
        return f"the board has no profile {', '.join(unknown)}"
    chosen = [(board.profiles[name], count) for name, count in instances.items() if count > 0]
    over = _over_a_count(board, chosen)
    if over is None and not _placeable(chosen):
        return "no placement of the instances leaves them apart on the GPU's memory slices"
    return over


def _over_a_count(board: MigBoard, chosen: list[tuple[Profile, int]]) -> str | None:
    for profile, count in chosen:
        if count > profile.max_instances:
            return f"{count} x {profile.name}, and a GPU holds at most {profile.max_instances}"
    media = sum(count for profile, count in chosen if profile.takes_media)
    if media > 1:
        return f"{media} instances with the media engines (+me), and only one can have them"
    total = sum(count for _, count in chosen)
    if total > board.max_instances:
        return f"{total} instances, and a GPU holds at most {board.max_instances}"
    compute = sum(profile.compute_slices * count for profile, count in chosen)
    if compute > board.compute_slices:
        return f"{compute} compute slices, and a GPU has {board.compute_slices}"
    return None


def _placeable(chosen: list[tuple[Profile, int]]) -> bool:
    """Searches the placement table, the largest instances first."""
    wanted = sorted(
        (profile for profile, count in chosen for _ in range(count)),
        key=lambda profile: (-profile.memory_slices, profile.name),
    )

    @cache
    def place(index: int, taken: int, after: int) -> bool:
        if index == len(wanted):
            return True
        profile = wanted[index]
        # Instances of one profile are alike: they are tried in rising order only.
        first = after if index and wanted[index - 1] is profile else -1
        for start in profile.starts:
            run = ((1 << profile.memory_slices) - 1) << start
            if start > first and not taken & run and place(index + 1, taken | run, start):
                return True
        return False

    return place(0, 0, -1)
