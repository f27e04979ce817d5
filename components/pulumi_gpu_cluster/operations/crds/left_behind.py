"""Which CRDs of a site Helm never upgrades: those in crds/ folders of charts without a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from pulumi_gpu_cluster.catalog.charts import (
    JOBSET,
    KUBE_PROMETHEUS_STACK,
    NETWORK_OPERATOR,
    NODE_FEATURE_DISCOVERY,
    Chart,
    CrdDelivery,
    CrdSet,
)
from pulumi_gpu_cluster.findings import Finding, warning
from pulumi_gpu_cluster.network.resources import fabric_pools

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site


CRDS_OUTPUT: Final = "crds"
"""The output in which a run leaves the versions."""


@dataclass(frozen=True, slots=True)
class FolderCrds:
    """CRDs that lie in a crds/ folder.

    Attributes:
        chart: The chart that a site installs.
        crds: The CRDs, and the bundled chart that they lie in.
    """

    chart: Chart
    crds: CrdSet


def folder_crds(site: Site) -> list[FolderCrds]:
    """Every CRD of a site that is in the cluster as the first release brought it.

    Node Feature Discovery is bundled by both operators as well, and off in both: its own release
    brings its CRDs.
    """
    return [
        FolderCrds(chart, crd_set)
        for chart, bundled in _installed(site)
        for crd_set in chart.crds
        if crd_set.delivery is CrdDelivery.CRDS_FOLDER and crd_set.subchart in bundled
    ]


def crd_versions(site: Site) -> dict[str, str]:
    """Version of each chart whose CRDs stay as they were installed: what a run leaves on record."""
    return {one.chart.name: one.chart.version for one in folder_crds(site)}


def crds_behind(outputs: Mapping[str, Any], site: Site) -> list[Finding]:
    """Charts that this run raises while Helm leaves their CRDs as they are.

    A warning only: whether the command ran already is known to the cluster alone.

    Args:
        outputs: What the last run of the stack left, of whatever age.
        site: The site.
    """
    recorded: object = outputs.get(CRDS_OUTPUT)
    before = dict(cast("Mapping[str, object]", recorded)) if isinstance(recorded, Mapping) else {}
    return [
        warning(
            "crds-behind",
            "site.charts",
            f"chart {name} goes from {before[name]} to {version}, and Helm leaves its CRDs as "
            "they are",
            "run gpu-cluster crds on the stack file first; where that was done it changes nothing",
        )
        for name, version in crd_versions(site).items()
        if name in before and before[name] != version
    ]


def _installed(site: Site) -> Iterator[tuple[Chart, tuple[str, ...]]]:
    """Charts with such folders, each with the bundled charts that are on in it."""
    if any(pool.gpu or pool.fabric for pool in site.node_pools):
        yield NODE_FEATURE_DISCOVERY, ("",)
    if not all(fabric.shared for fabric in fabric_pools(site.node_pools)):
        yield NETWORK_OPERATOR, ("sriov-network-operator",)
    if site.monitoring is not None:
        yield KUBE_PROMETHEUS_STACK, ("crds",)
    if site.scheduler.with_jobset:
        yield JOBSET, ("",)
