"""What is known of a third-party chart, and the ways in which one brings its CRDs.

The way a chart brings its CRDs decides what an upgrade and a teardown do to them, so it is a
fact of the chart and stands beside where the chart comes from.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


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
    """As templates, behind a switch in the values."""

    OWN_CHART = "own-chart"
    """In a chart of their own, installed and upgraded before this one."""


@dataclass(frozen=True, slots=True)
class CrdSet:
    """CRDs that travel together.

    Attributes:
        delivery: How they travel.
        names: Their full names, such as queues.scheduling.volcano.sh, sorted.
        subchart: The bundled chart they belong to; empty for the chart itself.
    """

    delivery: CrdDelivery
    names: tuple[str, ...]
    subchart: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart at its pinned version.

    Attributes:
        name: The chart's own name, as in its Chart.yaml.
        repository: The upstream repository: https:// for an index, oci:// for a registry
            path under which the chart is found by its name.
        version: The chart's version, exactly as published.
        crds: Everything it brings, its bundled charts' CRDs included.
    """

    name: str
    repository: str
    version: str
    crds: tuple[CrdSet, ...] = ()

    @property
    def needs_keep_policy(self) -> bool:
        """Whether an uninstall would take the CRDs, and every object of their kinds, with it."""
        deliveries = {crd_set.delivery for crd_set in self.crds}
        return bool(deliveries & {CrdDelivery.TEMPLATES, CrdDelivery.TEMPLATES_SWITCH})

    @property
    def crd_names(self) -> tuple[str, ...]:
        """Full names of all its CRDs, sorted."""
        return tuple(sorted(name for crd_set in self.crds for name in crd_set.names))
