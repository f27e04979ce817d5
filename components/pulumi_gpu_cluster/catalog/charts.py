"""The third-party charts this package installs, and how each one brings its CRDs.

The way a chart brings its CRDs decides what an upgrade and a teardown do to them, so it is a
fact of the chart and stands here, beside where the chart comes from. Versions are pinned in
`versions.py` alone.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.catalog import versions


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


# source: NVIDIA/gpu-operator tag v26.7.0, deployments/gpu-operator (crds/, charts/, values.yaml:
# operator.upgradeCRD is on by default)
GPU_OPERATOR: Final = Chart(
    name="gpu-operator",
    repository="https://helm.ngc.nvidia.com/nvidia",
    version=versions.GPU_OPERATOR,
    crds=(
        CrdSet(
            CrdDelivery.HOOK,
            (
                "clusterpolicies.nvidia.com",
                "computedomaincliques.resource.nvidia.com",
                "computedomains.resource.nvidia.com",
                "gpuclusters.nvidia.com",
                "nvidiadrivers.nvidia.com",
            ),
        ),
        CrdSet(
            CrdDelivery.CRDS_FOLDER,
            (
                "nodefeaturegroups.nfd.k8s-sigs.io",
                "nodefeaturerules.nfd.k8s-sigs.io",
                "nodefeatures.nfd.k8s-sigs.io",
            ),
            subchart="node-feature-discovery",
        ),
    ),
)

# source: kubernetes-sigs/kueue tag v0.19.2, charts/kueue/templates/crd
KUEUE: Final = Chart(
    name="kueue",
    repository="oci://registry.k8s.io/kueue/charts",
    version=versions.KUEUE,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES,
            (
                "admissionchecks.kueue.x-k8s.io",
                "clusterqueues.kueue.x-k8s.io",
                "cohorts.kueue.x-k8s.io",
                "localqueues.kueue.x-k8s.io",
                "multikueueclusters.kueue.x-k8s.io",
                "multikueueconfigs.kueue.x-k8s.io",
                "provisioningrequestconfigs.kueue.x-k8s.io",
                "resourceflavors.kueue.x-k8s.io",
                "topologies.kueue.x-k8s.io",
                "workloadpriorityclasses.kueue.x-k8s.io",
                "workloads.kueue.x-k8s.io",
            ),
        ),
    ),
)

# source: volcano-sh/volcano tag v1.15.1, installer/helm/chart/volcano (CRDs among the templates;
# the two flow.volcano.sh ones in the bundled jobflow chart)
VOLCANO: Final = Chart(
    name="volcano",
    repository="https://volcano-sh.github.io/helm-charts",
    version=versions.VOLCANO,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES,
            (
                "colocationconfigurations.config.volcano.sh",
                "commands.bus.volcano.sh",
                "cronjobs.batch.volcano.sh",
                "hypernodes.topology.volcano.sh",
                "jobs.batch.volcano.sh",
                "nodeshards.shard.volcano.sh",
                "numatopologies.nodeinfo.volcano.sh",
                "podgroups.scheduling.volcano.sh",
                "queues.scheduling.volcano.sh",
            ),
        ),
        CrdSet(
            CrdDelivery.TEMPLATES,
            ("jobflows.flow.volcano.sh", "jobtemplates.flow.volcano.sh"),
            subchart="jobflow",
        ),
    ),
)

CHARTS: Final[Mapping[str, Chart]] = MappingProxyType(
    {chart.name: chart for chart in (GPU_OPERATOR, KUEUE, VOLCANO)}
)
"""Every chart, by its name."""
