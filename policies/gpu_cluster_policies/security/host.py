"""The host's own things in pods: paths, namespaces, and every right there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, WORKLOADS, namespace_of, pod_specs, values_of
from gpu_cluster_policies.reading import Fields, at, entries, fields, string, walk
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict
from gpu_cluster_policies.settings import NAMESPACES, is_platform

_HOST_NAMESPACES: Final = ("hostNetwork", "hostPID", "hostIPC")
_READS: Final = {**WORKLOADS, **VALUES}


def _paths(resource: Resource, config: Config) -> Iterator[Verdict]:
    if is_platform(namespace_of(resource), config):
        return
    for pod in pod_specs(resource):
        for volume in entries(pod.spec, "volumes"):
            if at(volume, "hostPath") is not None:
                path = string(volume, "hostPath", "path")
                yield Fault(resource, f"volume {string(volume, 'name')} is the host's {path}")
    for where, key, found in walk(values_of(resource), "values"):
        if key == "hostPath" and isinstance(found, Mapping) and "path" in found:
            yield Fault(resource, f"{where} is the host's {string(cast('Fields', found), 'path')}")


HOST_PATH: Final = ResourceRule(
    id="host-path",
    description="Only agents of the platform mount paths of the host.",
    why="A path of the host leads past quotas and isolation, to other tenants' data and to the "
    "kubelet's credentials; and what is written there stays on that node.",
    mend="use a claim or emptyDir; agents of the platform belong in exemptNamespaces",
    severity=Severity.HIGH,
    tags=("security", "pods"),
    reads=_READS,
    judge=_paths,
    settings={"exemptNamespaces": dict(NAMESPACES)},
)


def _privileged(resource: Resource, config: Config) -> Iterator[Verdict]:
    if is_platform(namespace_of(resource), config):
        return
    for pod in pod_specs(resource):
        for container in pod.containers:
            if at(container, "securityContext", "privileged") is True:
                yield Fault(resource, f"container {string(container, 'name')} is privileged")
        for key in _HOST_NAMESPACES:
            if at(pod.spec, key) is True:
                yield Fault(resource, f"its pods have {key}")
    for where, key, found in walk(fields(resource.props, "values"), "values"):
        if found is True and (key == "privileged" or key in _HOST_NAMESPACES):
            yield Fault(resource, f"{where} is true")


PRIVILEGED_POD: Final = ResourceRule(
    id="privileged-pod",
    description="Only agents of the platform are privileged or share the host's namespaces.",
    why="A privileged pod with one GPU, or none, sees all GPUs of its node and everybody's memory.",
    mend="take it away; agents of the platform belong in exemptNamespaces",
    severity=Severity.CRITICAL,
    tags=("security", "pods"),
    reads=_READS,
    judge=_privileged,
    settings={"exemptNamespaces": dict(NAMESPACES)},
)
