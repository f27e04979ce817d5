"""What is known of a third-party chart, and the ways in which one brings its CRDs.

The way a chart brings its CRDs decides what an upgrade and a teardown do to them, so it is a
fact of the chart and stands beside where the chart comes from.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast


class CrdDelivery(enum.StrEnum):
    """How CRDs travel with a chart, and what Helm does to them afterwards."""

    CRDS_FOLDER = "crds-folder"
    """In crds/: Helm installs them once, and neither upgrades nor deletes them."""

    HOOK = "hook"
    """In crds/, and a hook of the chart's own applies them again before each upgrade."""

    TEMPLATES = "templates"
    """Among the templates: upgraded with the release, and deleted with it unless they carry
    `helm.sh/resource-policy: keep`."""

    TEMPLATES_SWITCH = "templates-switch"
    """As templates, behind a switch in the values. It is always on: switched off later, it takes
    the CRDs away, and whoever installs them by hand has to upgrade them by hand."""

    OPERATOR = "operator"
    """By the operator that the chart installs, once an object asks it for what they belong to.
    They go with that object."""

    OWN_CHART = "own-chart"
    """As the templates of a chart that holds nothing else. It is the `crds_chart` of the one that
    uses them, and is installed and upgraded before it."""


_HELM_DELETES: Final = frozenset(
    {CrdDelivery.TEMPLATES, CrdDelivery.TEMPLATES_SWITCH, CrdDelivery.OWN_CHART}
)


@dataclass(frozen=True, slots=True)
class CrdSet:
    """CRDs that travel together.

    Attributes:
        delivery: How they travel.
        names: Their full names, such as queues.scheduling.volcano.sh, sorted.
        subchart: The bundled chart they belong to, by its key in the values; empty for the
            chart itself.
        switch: Path in the values, of the bundled chart where there is one, of the boolean that
            brings them. Only with `TEMPLATES_SWITCH`.
        keep_switch: Path of a boolean by which the chart itself marks them as to be kept, so
            that we need not.
    """

    delivery: CrdDelivery
    names: tuple[str, ...]
    subchart: str = ""
    switch: str = ""
    keep_switch: str = ""

    def __post_init__(self) -> None:
        if bool(self.switch) != (self.delivery is CrdDelivery.TEMPLATES_SWITCH):
            raise ValueError(
                f"{self.delivery}: a switch goes with templates-switch, and only there"
            )

    def values(self, *, keep: bool) -> dict[str, Any]:
        """The chart's values that bring these CRDs.

        Args:
            keep: Whether they outlive the release.
        """
        values: dict[str, Any] = {}
        for path, on in ((self.switch, True), (self.keep_switch, keep)):
            if path:
                values = merged_values(values, _at([*self._place, *path.split(".")], on))
        return values

    @property
    def _place(self) -> tuple[str, ...]:
        return (self.subchart,) if self.subchart else ()


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart at its pinned version.

    Attributes:
        name: The chart's own name, as in its Chart.yaml.
        repository: The upstream repository: https:// for an index, oci:// for a registry
            path under which the chart is found by its name.
        version: The chart's version, exactly as published.
        crds: Everything it brings, its bundled charts' CRDs included.
        crds_chart: The chart that brings its CRDs, where they have one of their own.
    """

    name: str
    repository: str
    version: str
    crds: tuple[CrdSet, ...] = ()
    crds_chart: Chart | None = None

    @property
    def needs_keep_policy(self) -> bool:
        """Whether an uninstall takes CRDs, and every object of their kinds, unless we mark them."""
        return any(
            crd_set.delivery in _HELM_DELETES and not crd_set.keep_switch for crd_set in self.crds
        )

    def crd_values(self, *, keep: bool) -> dict[str, Any]:
        """The values that bring its CRDs, whatever they are by default.

        Args:
            keep: Whether the CRDs outlive the release.
        """
        values: dict[str, Any] = {}
        for crd_set in self.crds:
            values = merged_values(values, crd_set.values(keep=keep))
        return values

    @property
    def crd_names(self) -> tuple[str, ...]:
        """Full names of all its CRDs, sorted."""
        return tuple(sorted(name for crd_set in self.crds for name in crd_set.names))


def merged_values(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Values laid over values, as Helm does it: mappings key by key, all else whole.

    Args:
        below: What holds where the other says nothing.
        above: What holds in any case.
    """
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            two = cast("tuple[Mapping[str, Any], Mapping[str, Any]]", (under, value))
            merged[key] = merged_values(*two)
        else:
            merged[key] = value
    return merged


def _at(path: Sequence[str], value: object) -> dict[str, Any]:
    first, *rest = path
    return {first: _at(rest, value) if rest else value}
