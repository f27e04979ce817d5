"""NicNodePolicy: the NIC driver and the RDMA devices of one pool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.network.operator.images import image
from pulumi_gpu_cluster.network.resources import SHARES, FabricPool
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations, selector

NVIDIA_NICS: Final = "15b3"
"""PCI vendor of NVIDIA's network adapters, once Mellanox."""

_DRAIN_SECONDS: Final = 1800


@dataclass(frozen=True, slots=True)
class NicNodePolicy:
    """What one pool's nodes need beyond what all have.

    Attributes:
        name: Name of the object, which lives outside namespaces.
        driver: Whether the operator loads the NIC driver.
        upgrade: What a newer driver does on nodes that run an older one.
        shared: Name of the resource of shared InfiniBand adapters; None where none are shared.
        interfaces: The ports that are shared; all where empty.
        node_selector: Labels of the pool's nodes, and of no other's.
        tolerations: Tolerations of its agents.
        jobs: Label selector of the pods that an upgrade waits for.
    """

    name: str
    driver: bool
    upgrade: Literal["held", "rolling"]
    shared: str | None
    interfaces: Sequence[str]
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, str]]
    jobs: str

    def spec(self) -> dict[str, Any]:
        """The object's spec."""
        spec: dict[str, Any] = {
            "nodeSelector": dict(self.node_selector),
            "tolerations": [dict(toleration) for toleration in self.tolerations],
        }
        if self.driver:
            spec["ofedDriver"] = {
                **image(versions.DOCA_DRIVER_IMAGE),
                "upgradePolicy": self._upgrade_policy(),
            }
        if self.shared is not None:
            spec["rdmaSharedDevicePlugin"] = {
                **image(versions.RDMA_IMAGE),
                "config": json.dumps({"configList": [self._devices(self.shared)]}),
            }
        return spec

    def _devices(self, resource: str) -> dict[str, Any]:
        ports = (
            {"ifNames": list(self.interfaces)} if self.interfaces else {"linkTypes": ["infiniband"]}
        )
        return {
            "resourceName": resource,
            "rdmaHcaMax": SHARES,
            "selectors": {"vendors": [NVIDIA_NICS], **ports},
        }

    def _upgrade_policy(self) -> dict[str, Any]:
        rolling = self.upgrade == "rolling"
        return {
            "autoUpgrade": rolling,
            # Otherwise a node that boots loads the driver under pods that run already.
            "safeLoad": rolling,
            "maxParallelUpgrades": 1,
            # No selector would mean to wait for nothing. No timeout: a job that takes a week
            # takes a week.
            "waitForCompletion": {"podSelector": self.jobs, "timeoutSeconds": 0},
            "drain": {
                "enable": True,
                "force": False,
                # Scratch space of pods that go anyway; nearly no node could be drained without.
                "deleteEmptyDir": True,
                "podSelector": "",
                "timeoutSeconds": _DRAIN_SECONDS,
            },
        }


def node_policy_of(fabric: FabricPool, jobs: str) -> NicNodePolicy | None:
    """What the operator does on a pool's nodes alone; None where that is nothing.

    Args:
        fabric: The pool with its fabric.
        jobs: Label selector of the pods that an upgrade waits for.
    """
    driver = fabric.args.driver == "operator"
    if not driver and not fabric.shared:
        return None
    return NicNodePolicy(
        name=fabric.pool.name,
        driver=driver,
        upgrade=fabric.args.upgrade,
        shared=fabric.plugin_name if fabric.shared else None,
        interfaces=fabric.args.interfaces,
        node_selector=selector(fabric.pool),
        tolerations=agent_tolerations([fabric.pool]),
        jobs=jobs,
    )


def nic_node_policy(
    name: str, policy: NicNodePolicy, opts: pulumi.ResourceOptions
) -> CustomResource:
    """The object in the cluster.

    Nobody waits for it: with a newer driver it is ready when the pool's last job has ended.
    """
    return CustomResource(
        name,
        api_version="mellanox.com/v1alpha1",
        kind="NicNodePolicy",
        metadata={"name": policy.name},
        spec=policy.spec(),
        opts=opts,
    )
