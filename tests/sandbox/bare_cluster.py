"""A cluster with nothing on it, spoken to in plain documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from lightkube import Client, generic_resource
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.core_v1 import ConfigMap, Node

Json = dict[str, Any]

NODE: Final = "Node"
POLICY: Final = "clusterpolicies.nvidia.com/v1/ClusterPolicy"
DRIVER: Final = "nvidiadrivers.nvidia.com/v1alpha1/NVIDIADriver"
CLUSTER_QUEUE: Final = "clusterqueues.kueue.x-k8s.io/v1beta2/ClusterQueue"
LOCAL_QUEUE: Final = "localqueues.kueue.x-k8s.io/v1beta2/LocalQueue"
JOB_SET: Final = "jobsets.jobset.x-k8s.io/v1alpha2/JobSet"
NIC_CLUSTER: Final = "nicclusterpolicies.mellanox.com/v1alpha1/NicClusterPolicy"
NIC_NODE: Final = "nicnodepolicies.mellanox.com/v1alpha1/NicNodePolicy"
IPOIB: Final = "ipoibnetworks.mellanox.com/v1alpha1/IPoIBNetwork"
QUEUE: Final = "queues.scheduling.volcano.sh/v1beta1/Queue"

_NAMESPACED: Final = frozenset({JOB_SET, LOCAL_QUEUE})
_CRD: Final = "CustomResourceDefinition"
_BUILT_IN: Final[Mapping[str, Any]] = {
    NODE: Node,
    "ConfigMap": ConfigMap,
    _CRD: CustomResourceDefinition,
}
_PATIENCE: Final = 20.0


@dataclass(frozen=True)
class BareCluster:
    """A running cluster.

    Attributes:
        client: Its administrator.
    """

    client: Client

    def get(self, kind: str, name: str, namespace: str | None = None) -> Json:
        """One object."""
        found: Json = self._client.get(_class(kind), name, **_place(namespace)).to_dict()
        return found

    def all(self, kind: str) -> list[Json]:
        """All objects of a cluster-wide kind."""
        return [found.to_dict() for found in self._client.list(_class(kind))]

    def names(self, kind: str) -> set[str]:
        """Their names."""
        return {found["metadata"]["name"] for found in self.all(kind)}

    def create(self, kind: str, document: Json, *, dry_run: bool = False) -> None:
        """Makes an object."""
        self._client.create(_class(kind).from_dict(document), dry_run=dry_run)

    def patch(self, kind: str, name: str, change: Json) -> None:
        """Changes an object as a strategic merge patch does."""
        self._client.patch(_class(kind), name, change)

    def delete(self, kind: str, name: str, namespace: str | None = None) -> None:
        """Deletes an object."""
        self._client.delete(_class(kind), name, **_place(namespace))

    def conditions_of_crds(self) -> dict[str, dict[str, str]]:
        """For each CRD its conditions and their status."""
        return {
            crd["metadata"]["name"]: {
                condition["type"]: condition["status"] for condition in crd["status"]["conditions"]
            }
            for crd in self.all(_CRD)
        }

    @property
    def _client(self) -> Any:
        return self.client


def until(look: Callable[[], object], what: str) -> None:
    """Waits until a look finds something.

    Raises:
        AssertionError: Nothing was found in time.
    """
    deadline = time.monotonic() + _PATIENCE
    while not look():
        assert time.monotonic() < deadline, f"after {_PATIENCE:.0f} s still not so: {what}"
        time.sleep(0.05)


def _class(kind: str) -> Any:
    if kind in _BUILT_IN:
        return _BUILT_IN[kind]
    full, version, name = kind.split("/")
    plural, _, group = full.partition(".")
    known = cast("Any", generic_resource)
    scope = "namespaced" if kind in _NAMESPACED else "global"
    return getattr(known, f"create_{scope}_resource")(group, version, name, plural)


def _place(namespace: str | None) -> dict[str, str]:
    return {} if namespace is None else {"namespace": namespace}
