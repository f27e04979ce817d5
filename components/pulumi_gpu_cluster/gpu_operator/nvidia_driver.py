"""NVIDIADriver: one pool's driver, pinned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations, selector
from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs
from pulumi_gpu_cluster.operations.node_work.driver_spec import nodes_of_wave

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, driver.repository and driver.image
_REPOSITORY: Final = "nvcr.io/nvidia"
_IMAGE: Final = "driver"
_POD_DELETION_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class NvidiaDriver:
    """The driver of one pool.

    Attributes:
        name: Name of the object, which lives outside namespaces.
        version: The exact driver version.
        kernel_module: Kernel module flavour.
        node_selector: Labels of the pool's nodes, and of no other's.
        tolerations: Tolerations of the driver's pods. The chart's own reach only the default
            object.
        jobs: Label selector of the pods that an upgrade waits for.
        peermem: Who brings the NIC driver, where GPU and adapter cannot do without the module
            nvidia-peermem; None where they can.
        unattended: Whether the operator upgrades nodes by itself.
        at_once: How many nodes it may upgrade at a time.
        unavailable: How many may be away for it to begin another one, those included that are
            away for other reasons.
    """

    name: str
    version: str
    kernel_module: Literal["auto", "open", "proprietary"]
    node_selector: Mapping[str, str]
    tolerations: Sequence[Mapping[str, str]]
    jobs: str
    peermem: Literal["operator", "host"] | None = None
    unattended: bool = True
    at_once: int = 1
    unavailable: str = "25%"

    def spec(self) -> dict[str, Any]:
        """The object's spec."""
        return {
            "driverType": "gpu",
            "default": False,
            "repository": _REPOSITORY,
            "image": _IMAGE,
            "version": self.version,
            "kernelModuleType": self.kernel_module,
            "nodeSelector": dict(self.node_selector),
            "tolerations": [dict(toleration) for toleration in self.tolerations],
            "upgradePolicy": self._upgrade_policy(),
            **self._rdma(),
        }

    def _rdma(self) -> dict[str, Any]:
        """With nvidia-peermem the driver waits for the NIC driver, and without one for ever."""
        if self.peermem is None:
            return {}
        return {"rdma": {"enabled": True, "useHostMofed": self.peermem == "host"}}

    def _upgrade_policy(self) -> dict[str, Any]:
        # Every part is there because older controllers crash on a missing one.
        return {
            "autoUpgrade": self.unattended,
            "maxParallelUpgrades": self.at_once,
            "maxUnavailable": self.unavailable,
            # No selector would mean to wait for nothing and go on to delete GPU pods. No
            # timeout: a job that takes a week takes a week.
            "waitForCompletion": {"podSelector": self.jobs, "timeoutSeconds": 0},
            "podDeletion": {
                "force": False,
                "deleteEmptyDir": False,
                "timeoutSeconds": _POD_DELETION_SECONDS,
            },
            "drain": {
                "enable": False,
                "force": False,
                "deleteEmptyDir": False,
                "podSelector": "",
                "timeoutSeconds": _POD_DELETION_SECONDS,
            },
        }


def driver_of(pool: NodePoolArgs, jobs: str) -> NvidiaDriver | None:
    """The driver that the operator installs on a pool; None where it installs none."""
    if pool.gpu is None or pool.driver is None or pool.driver.source != "operator":
        return None
    return NvidiaDriver(
        name=pool.name,
        version=pool.driver.version or "",
        kernel_module=pool.driver.kernel_module,
        node_selector=selector(pool),
        tolerations=agent_tolerations([pool]),
        jobs=jobs,
        peermem=_peermem(pool),
        # An upgrade deletes the pods that use GPUs. Here that is slurmd, and to Slurm its jobs
        # would be lost: a node is drained in Slurm first, then its driver pod is deleted by hand.
        unattended=pool.workload == "kubernetes",
        **_budget(pool),
    )


def _budget(pool: NodePoolArgs) -> dict[str, Any]:
    """How many nodes at a time.

    In waves, a wave, and nodes that are away for other reasons do not count: one that waits for
    its repair would keep the whole pool at its old driver.
    """
    upgrade = pool.driver.upgrade if pool.driver is not None else None
    if not pool.node_names or pool.workload != "kubernetes":
        return {}
    wave = (upgrade or UpgradeArgs()).wave
    return {"at_once": nodes_of_wave(wave, pool.size), "unavailable": "100%"}


def _peermem(pool: NodePoolArgs) -> Literal["operator", "host"] | None:
    """Who brings the NIC driver of a pool whose GPUs need nvidia-peermem.

    The open kernel module hands GPU memory to adapters by itself (DMA-BUF); the proprietary one
    needs the module, and that is built against the NIC driver.
    source: NVIDIA GPU Operator documentation, GPUDirect RDMA
    """
    if pool.fabric is None or pool.driver is None or pool.gpu is None:
        return None
    model = model_of(pool.gpu)
    flavours = (pool.driver.kernel_module, model.kernel_module if model is not None else "any")
    return pool.fabric.driver if "proprietary" in flavours else None


def nvidia_driver(name: str, driver: NvidiaDriver, opts: pulumi.ResourceOptions) -> CustomResource:
    """The object in the cluster."""
    return CustomResource(
        name,
        api_version="nvidia.com/v1alpha1",
        kind="NVIDIADriver",
        metadata={"name": driver.name},
        spec=driver.spec(),
        opts=opts,
    )
