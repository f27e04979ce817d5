"""Pods wherever they are described: in workloads of every kind, and in charts' values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from gpu_cluster_policies.reading import NOTHING, Fields, entries, fields, string, walk
from gpu_cluster_policies.resources import Resource

RELEASE: Final = "helm.sh/Release"
CHART: Final = "helm.sh/Chart"
VALUES: Final[Mapping[str, Sequence[str]]] = {
    RELEASE: ("values", "chart", "namespace", "version", "name"),
}
"""What rules read of a release: its values, and which chart they are for."""

WORKLOADS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(
        (
            "core/Pod",
            "core/ReplicationController",
            "apps/DaemonSet",
            "apps/Deployment",
            "apps/ReplicaSet",
            "apps/StatefulSet",
            "batch/CronJob",
            "batch/Job",
            "batch.volcano.sh/Job",
            "jobset.x-k8s.io/JobSet",
            "kubeflow.org/MPIJob",
            "kubeflow.org/PyTorchJob",
            "leaderworkerset.x-k8s.io/LeaderWorkerSet",
            "ray.io/RayCluster",
            "ray.io/RayJob",
            "trainer.kubeflow.org/ClusterTrainingRuntime",
            "trainer.kubeflow.org/TrainingRuntime",
        ),
        ("metadata", "spec"),
    )
}
"""Kinds that describe pods."""


@dataclass(frozen=True, slots=True)
class PodSpec:
    """A description of pods.

    Attributes:
        path: Where it stands in the resource.
        spec: The pod's spec.
    """

    path: str
    spec: Fields

    @property
    def containers(self) -> Iterator[Fields]:
        """Every container, those that run first among them."""
        for key in ("initContainers", "containers", "ephemeralContainers"):
            yield from entries(self.spec, key)


# Several rules look at the pods of one resource, one after the other.
@lru_cache(maxsize=16)
def pod_specs(resource: Resource) -> tuple[PodSpec, ...]:
    """The pods that a workload describes, at whatever depth its kind keeps them."""
    spec = fields(resource.props, "spec")
    own = [PodSpec("spec", spec)] if "containers" in spec else []
    below = [
        PodSpec(path, cast("Fields", found))
        for path, _, found in walk(spec, "spec")
        if isinstance(found, Mapping) and "containers" in found
    ]
    return (*own, *below)


def namespace_of(resource: Resource) -> str:
    """The namespace that an object or a release is in; `default` where none is given."""
    metadata = resource.props.get("metadata")
    where = fields(resource.props, "metadata") if metadata is not None else NOTHING
    return string(where, "namespace") or string(resource.props, "namespace") or "default"


def values_of(resource: Resource) -> Fields:
    """The values of a release; none for anything else."""
    return fields(resource.props, "values")


def is_chart(resource: Resource, name: str) -> bool:
    """Whether a release is of a chart of this name, from wherever it comes."""
    chart = string(resource.props, "chart").rstrip("/")
    last = chart.rpartition("/")[2].partition(":")[0]
    # A packed chart: gpu-operator-v26.7.0.tgz.
    return last == name or (last.startswith(f"{name}-") and last.endswith(".tgz"))
