"""What a stand-in needs to know of its chart, beside what the product's catalogue says.

What a chart is called, its version and how it brings its CRDs stand in the product's catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass


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
        placing: Path in the values of the mapping that holds its nodeSelector and tolerations;
            empty where the values themselves hold them.
        keys: The names of those two keys there.
        switch: Path in the values of the boolean that switches it off.
        bundled: The bundled chart that makes it; empty for the chart itself.
        account: Its ServiceAccount; empty for the namespace's default one.
        env: Variables that its program is told by, with their values as Helm expressions.
    """

    name: str
    placing: str
    keys: tuple[str, str] = ("nodeSelector", "tolerations")
    switch: str = "enabled"
    bundled: str = ""
    account: str = ""
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StandIn:
    """A chart's stand-in.

    Attributes:
        source: The chart's own facts.
        workloads: Deployments that a release waits for.
        bundled: Facts of the charts it bundles.
        made_later: Facts of CRDs that the operator makes by itself, which no stand-in runs.
        unpublished: The version that Chart.yaml holds before the project publishes it, where
            that is not the real one.
        projected: CRDs of which the chart makes objects out of its values.
        also_known: Value paths that the real templates read though values.yaml names them
            neither plainly nor as a commented-out key.
        open_paths: Value paths below which the chart takes any Kubernetes field, although
            values.yaml shows some and the key's name does not say so.
        converted: Plural names of the CRDs whose versions the operator converts, where it really
            runs.
    """

    source: Source
    workloads: tuple[Workload, ...]
    bundled: tuple[Source, ...] = ()
    made_later: tuple[Source, ...] = ()
    unpublished: str = ""
    projected: tuple[str, ...] = ()
    also_known: tuple[str, ...] = ()
    open_paths: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()
