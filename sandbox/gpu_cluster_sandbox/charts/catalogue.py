"""Which charts have a stand-in, and where their facts are harvested from.

A further chart is one entry here and one in the product's catalogue, then a harvest. What a
chart is called, its version and how it brings its CRDs stand in the product's catalogue; here
is only what a stand-in needs beside that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Source:
    """Where a chart's or a bundled chart's facts lie, relative to the harvested folder.

    Attributes:
        values: Folder with values.yaml, and Chart.yaml where it has one; None where the
            values are not to be had, so that nothing below can be checked.
        crds: Folder with one file per CRD; None for a chart without any.
        only: API groups of which the CRDs are taken; all where empty. For bundled charts
            whose CRDs lie in their parent's folder.
        name: The bundled chart's key in its parent's values; empty for the chart itself.
    """

    values: str | None
    crds: str | None = None
    only: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment that the stand-in makes in its operator's place.

    Attributes:
        name: Its name as the real chart has it, as a Helm expression.
        placing: Path in the values of the mapping that holds its nodeSelector and tolerations.
        keys: The names of those two keys there.
        switch: Path in the values of the boolean that switches it off.
        bundled: The bundled chart that makes it; empty for the chart itself.
    """

    name: str
    placing: str
    keys: tuple[str, str] = ("nodeSelector", "tolerations")
    switch: str = "enabled"
    bundled: str = ""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A chart's stand-in.

    Attributes:
        source: The chart's own facts.
        workloads: Deployments that a release waits for.
        bundled: Facts of the charts it bundles.
        unpublished: The version that Chart.yaml holds before the project publishes it, where
            that is not the real one.
        projected: CRDs of which the chart makes objects out of its values.
        also_known: Value paths that the real templates read though values.yaml names them
            neither plainly nor as a commented-out key.
        open_paths: Value paths below which the chart takes any Kubernetes field, although
            values.yaml shows some and the key's name does not say so.
    """

    source: Source
    workloads: tuple[Workload, ...]
    bundled: tuple[Source, ...] = ()
    unpublished: str = ""
    projected: tuple[str, ...] = ()
    also_known: tuple[str, ...] = ()
    open_paths: tuple[str, ...] = ()


STAND_INS: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "gpu-operator": StandIn(
            source=Source("charts/gpu-operator", "crds/gpu-operator"),
            unpublished="v1.0.0-devel",
            workloads=(
                Workload('"gpu-operator"', placing="operator"),
                Workload(
                    'include "standin.fullname" . | printf "%s-master"',
                    placing="master",
                    switch="master.enable",
                    bundled="node-feature-discovery",
                ),
            ),
            bundled=(
                Source(
                    "charts/gpu-operator-bundled-nfd",
                    "crds/gpu-operator-bundled-nfd",
                    name="node-feature-discovery",
                ),
            ),
            projected=("clusterpolicies.nvidia.com", "nvidiadrivers.nvidia.com"),
        ),
        "kueue": StandIn(
            source=Source("charts/kueue", "crds/kueue"),
            workloads=(
                Workload(
                    'include "standin.fullname" . | printf "%s-controller-manager"',
                    placing="controllerManager",
                ),
            ),
        ),
        "volcano": StandIn(
            source=Source("charts/volcano/volcano", "crds/volcano"),
            workloads=tuple(
                Workload(
                    f'printf "%s-{deployment}" .Release.Name',
                    placing="custom",
                    keys=(f"{part}_ns", f"{part}_tolerations"),
                    switch=f"custom.{part}_enable",
                )
                for part, deployment in (
                    ("scheduler", "scheduler"),
                    ("controller", "controllers"),
                    ("admission", "admission"),
                )
            ),
            bundled=(Source(None, "crds/volcano", only=("flow.volcano.sh",), name="jobflow"),),
            open_paths=(
                "custom.default_sc",
                "custom.default_csc",
                "custom.agent_main_csc",
                "custom.agent_init_csc",
            ),
        ),
    }
)
"""Every stand-in, by the chart's name."""
