"""Where a stack says which driver runs: in objects of the operator's, and in its chart's values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.reading import Fields, at, fields, string
from gpu_cluster_policies.resources import Resource

DRIVER: Final = "nvidia.com/NVIDIADriver"
CLUSTER_POLICY: Final = "nvidia.com/ClusterPolicy"
OPERATOR_CHART: Final = "gpu-operator"
DRIVER_READS: Final = {
    DRIVER: ("metadata", "spec"),
    CLUSTER_POLICY: ("metadata", "spec"),
    **VALUES,
}


def driver_specs(resource: Resource) -> Iterator[tuple[str, Fields]]:
    """Each description of a driver in a resource, and where it stands."""
    if resource.sort == DRIVER:
        yield "spec", fields(resource.props, "spec")
    elif resource.sort == CLUSTER_POLICY:
        yield "spec.driver", fields(resource.props, "spec", "driver")
    elif is_chart(resource, OPERATOR_CHART):
        yield "values.driver", fields(values_of(resource), "driver")


def is_installed(resource: Resource, spec: Fields) -> bool:
    """Whether the operator installs what a description says."""
    if resource.sort == DRIVER:
        return True
    # With objects of their own for drivers, the chart's and the policy's own settings are idle.
    return at(spec, "enabled") is not False and not (
        at(spec, "nvidiaDriverCRD", "enabled") is True or at(spec, "useNvidiaDriverCRD") is True
    )


def policy_of_operator(resource: Resource) -> Fields:
    """What a release or a ClusterPolicy sets for the whole operator; nothing for others."""
    if resource.sort == CLUSTER_POLICY:
        return fields(resource.props, "spec")
    return values_of(resource) if is_chart(resource, OPERATOR_CHART) else fields({})


def strategy_of(resource: Resource) -> str:
    """The MIG strategy that a release or a ClusterPolicy sets; empty where it sets none."""
    return string(policy_of_operator(resource), "mig", "strategy")
