"""What the hand-written stacks of these tests share: a provider, a chart, a custom resource."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

# Stubs: a preview loads charts, and what is judged are the values that a stack gives them.
CHARTS = (
    "gpu-operator",
    "harbor",
    "kube-prometheus-stack",
    "kueue",
    "network-operator",
    "rook-ceph-cluster",
    "slurm",
    "triton",
)
GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-3g.20gb"


def write_charts(folder: Path) -> None:
    """Writes the stubs."""
    for name in CHARTS:
        chart = folder / "charts" / name
        chart.mkdir(parents=True, exist_ok=True)
        (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.2.3\n")


class Cluster:
    """One cluster that a stack is for, and its short ways to make things there."""

    def __init__(self, name: str, **provider: Any) -> None:
        self.name = name
        kubeconfig = Path(os.environ["KUBECONFIG"]).read_text(encoding="utf-8")
        settings: dict[str, Any] = {"cluster_identifier": name, **provider}
        self.provider = k8s.Provider(
            name, kubeconfig=kubeconfig, enable_server_side_apply=False, **settings
        )

    def options(self, *, protect: bool = False) -> pulumi.ResourceOptions:
        """Options of what is made there."""
        return pulumi.ResourceOptions(provider=self.provider, protect=protect)

    def namespace(self, name: str, *, protect: bool = False, **labels: str) -> None:
        """A namespace; underscores stand for what a keyword cannot hold."""
        enforce = labels.pop("enforce", None)
        every = {**labels, **({"pod-security.kubernetes.io/enforce": enforce} if enforce else {})}
        k8s.core.v1.Namespace(
            f"{self.name}-{name}",
            metadata={"name": name, "labels": every},
            opts=self.options(protect=protect),
        )

    def tenant(self, name: str, hard: dict[str, str], *, wall: bool = True) -> None:
        """A tenant's namespace with its quota, and a wall around it."""
        self.namespace(name, protect=True, team=name, enforce="restricted")
        k8s.core.v1.ResourceQuota(
            f"{self.name}-{name}-quota",
            metadata={"name": "quota", "namespace": name},
            spec={"hard": hard},
            opts=self.options(),
        )
        if wall:
            k8s.networking.v1.NetworkPolicy(
                f"{self.name}-{name}-wall",
                metadata={"name": "wall", "namespace": name},
                spec={"pod_selector": {}, "policy_types": ["Ingress"]},
                opts=self.options(),
            )

    def custom(  # noqa: PLR0913 - an object has as many parts
        self,
        api: str,
        kind: str,
        name: str,
        spec: dict[str, Any],
        *,
        namespace: str | None = None,
        protect: bool = False,
    ) -> None:
        """An object of a kind that the SDK has no class for."""
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        k8s.apiextensions.CustomResource(
            f"{self.name}-{kind.lower()}-{name}",
            api_version=api,
            kind=kind,
            metadata=metadata,
            spec=spec,
            opts=self.options(protect=protect),
        )

    def release(self, chart: str, values: dict[str, Any], namespace: str, **more: Any) -> None:
        """A release of a chart that lies in the project."""
        k8s.helm.v3.Release(
            f"{self.name}-{chart}",
            chart=f"./charts/{chart}",
            namespace=namespace,
            values=values,
            opts=self.options(),
            **more,
        )

    def config_map(self, name: str, namespace: str, data: dict[str, str]) -> None:
        """A ConfigMap."""
        k8s.core.v1.ConfigMap(
            f"{self.name}-{name}",
            metadata={"name": name, "namespace": namespace},
            data=data,
            opts=self.options(),
        )

    def deployment(
        self,
        name: str,
        namespace: str,
        *,
        pod: dict[str, Any] | None = None,
        labels: dict[str, str] | None = None,
        **container: Any,
    ) -> None:
        """A Deployment of one container."""
        main = {"name": "main", "image": "registry.example.org/team/app:1.4.2", **container}
        selected = {"app": name}
        spec: Any = {
            "selector": {"match_labels": selected},
            "template": {
                "metadata": {"labels": selected},
                "spec": {"containers": [main], **(pod or {})},
            },
        }
        k8s.apps.v1.Deployment(
            f"{self.name}-{name}",
            metadata={"name": name, "namespace": namespace, "labels": labels or {}},
            spec=spec,
            opts=self.options(),
        )

    def job(
        self,
        name: str,
        namespace: str,
        resources: dict[str, Any],
        queue: str | None = None,
    ) -> None:
        """A Job of one container."""
        labels = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
        main = {
            "name": "main",
            "image": "registry.example.org/team/train:2025.11",
            "resources": resources,
        }
        spec: Any = {"template": {"spec": {"restart_policy": "Never", "containers": [main]}}}
        k8s.batch.v1.Job(
            f"{self.name}-{name}",
            metadata={"name": name, "namespace": namespace, "labels": labels},
            spec=spec,
            opts=self.options(),
        )

    def node(self, name: str, **labels: str) -> None:
        """A node with labels; double underscores stand for what a keyword cannot hold."""
        names = {"layout": "nvidia.com/mig.config", "plugin": "nvidia.com/device-plugin.config"}
        k8s.core.v1.Node(
            f"{self.name}-{name}",
            metadata={
                "name": name,
                "labels": {names.get(key, key): value for key, value in labels.items()},
            },
            opts=self.options(),
        )

    def role(
        self, kind: str, name: str, rule: dict[str, list[str]], namespace: str | None = None
    ) -> None:
        """A Role or a ClusterRole of one rule."""
        made = getattr(k8s.rbac.v1, kind)
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        made(f"{self.name}-{name}", metadata=metadata, rules=[rule], opts=self.options())

    def cluster_queue(
        self, name: str, quotas: dict[str, int], covered: list[str] | None = None, **spec: Any
    ) -> None:
        """A ClusterQueue of one flavor."""
        flavor = {
            "name": "default",
            "resources": [{"name": key, "nominalQuota": count} for key, count in quotas.items()],
        }
        group = {"coveredResources": covered or list(quotas), "flavors": [flavor]}
        self.custom(
            "kueue.x-k8s.io/v1beta2",
            "ClusterQueue",
            name,
            {"namespaceSelector": {}, "resourceGroups": [group], **spec},
        )

    def local_queue(self, namespace: str, cluster_queue: str) -> None:
        """A LocalQueue called main."""
        self.custom(
            "kueue.x-k8s.io/v1beta2",
            "LocalQueue",
            f"main-{namespace}",
            {"clusterQueue": cluster_queue},
            namespace=namespace,
        )
