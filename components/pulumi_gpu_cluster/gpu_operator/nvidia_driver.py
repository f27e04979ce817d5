"""NVIDIADriver: one pool's driver, pinned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog.drivers import branch_of
from pulumi_gpu_cluster.catalog.versions import GDRCOPY_IMAGE, NVIDIA_FS_IMAGE
from pulumi_gpu_cluster.gpu_operator.args import PackagesArgs
from pulumi_gpu_cluster.gpu_operator.driver_files import (
    certificates_name,
    options_name,
    repositories_name,
)
from pulumi_gpu_cluster.images import ImagesArgs
from pulumi_gpu_cluster.network.operator.images import image
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations, selector
from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs
from pulumi_gpu_cluster.operations.node_work.driver_spec import nodes_of_wave

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, driver.repository and driver.image
_REPOSITORY: Final = "nvcr.io/nvidia"
_IMAGE: Final = "driver"
DEFAULT_DRIVER: Final = "gpu-cluster-default"
"""Name of the object for nodes that are in no pool."""

_POD_DELETION_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class NvidiaDriver:
    """The driver of one pool.

    Attributes:
        name: Name of the object, which lives outside namespaces.
        version: The exact driver version.
        kernel_module: Kernel module flavour.
        node_selector: Labels of the pool's nodes, and of no other's; none for the one driver of
            all nodes that no other object selects.
        tolerations: Tolerations of the driver's pods. The chart's own reach only the default
            object.
        jobs: Label selector of the pods that an upgrade waits for.
        peermem: Who brings the NIC driver, where GPU and adapter cannot do without the module
            nvidia-peermem; None where they can.
        unattended: Whether the operator upgrades nodes by itself.
        at_once: How many nodes it may upgrade at a time.
        unavailable: How many may be away for it to begin another one, those included that are
            away for other reasons.
        precompiled: Whether the image holds modules that are made for the nodes' kernels.
        gds: Whether nvidia-fs is loaded.
        gdrcopy: Whether gdrdrv is loaded.
        images: Where images come from.
        module_options: ConfigMap with options of the kernel module; empty without.
        repositories: ConfigMap with package sources; empty without.
        certificates: ConfigMap with their certificates; empty without.
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
    precompiled: bool = False
    gds: bool = False
    gdrcopy: bool = False
    images: ImagesArgs = field(default_factory=ImagesArgs)
    module_options: str = ""
    repositories: str = ""
    certificates: str = ""

    def spec(self) -> dict[str, Any]:
        """The object's spec."""
        named = {
            "kernelModuleConfig": self.module_options,
            "repoConfig": self.repositories,
            "certConfig": self.certificates,
        }
        return {
            "driverType": "gpu",
            "default": not self.node_selector,
            "repository": self.images.place(_REPOSITORY),
            "image": _IMAGE,
            # An image of ready-made modules has the branch's name only.
            "version": str(branch_of(self.version)) if self.precompiled else self.version,
            "kernelModuleType": self.kernel_module,
            **({"usePrecompiled": True} if self.precompiled else {}),
            **({"nodeSelector": dict(self.node_selector)} if self.node_selector else {}),
            "tolerations": [dict(toleration) for toleration in self.tolerations],
            "upgradePolicy": self._upgrade_policy(),
            **self._rdma(),
            **self._modules(),
            **{key: {"name": name} for key, name in named.items() if name},
            **self._secrets(),
        }

    def _modules(self) -> dict[str, Any]:
        """Further kernel modules, each by an image beside the driver's: it has no default."""
        wanted = {"gds": (self.gds, NVIDIA_FS_IMAGE), "gdrcopy": (self.gdrcopy, GDRCOPY_IMAGE)}
        modules: dict[str, Any] = {}
        for key, (on, reference) in wanted.items():
            if on:
                own = image(reference)
                own["repository"] = self.images.place(own["repository"])
                modules[key] = {"enabled": True, **own, **self._secrets()}
        return modules

    def _secrets(self) -> dict[str, Any]:
        names = list(self.images.secret_names)
        return {"imagePullSecrets": names} if names else {}

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


@dataclass(frozen=True, slots=True)
class DriverSurroundings:
    """What is the same for all drivers of a cluster.

    Attributes:
        jobs: Label selector of the pods that an upgrade waits for.
        images: Where images come from.
        packages: Where driver containers get packages from.
    """

    jobs: str
    images: ImagesArgs = field(default_factory=ImagesArgs)
    packages: PackagesArgs = field(default_factory=PackagesArgs)


def driver_of(pool: NodePoolArgs, around: DriverSurroundings) -> NvidiaDriver | None:
    """The driver that the operator installs on a pool; None where it installs none."""
    if pool.gpu is None or pool.driver is None or pool.driver.source != "operator":
        return None
    return _made(
        NvidiaDriver(
            name=pool.name,
            version=pool.driver.version or "",
            kernel_module=pool.driver.kernel_module,
            node_selector=selector(pool),
            tolerations=agent_tolerations([pool]),
            jobs=around.jobs,
            peermem=_peermem(pool),
            # An upgrade deletes the pods that use GPUs. Here that is slurmd, and to Slurm its
            # jobs would be lost: a node is drained in Slurm first, then its driver pod is deleted
            # by hand.
            unattended=pool.workload == "kubernetes",
            **_budget(pool),
        ),
        pool.driver,
        around,
    )


def default_driver(
    driver: DriverArgs, pools: Sequence[NodePoolArgs], around: DriverSurroundings
) -> NvidiaDriver:
    """The driver of GPU nodes that are in no pool.

    Args:
        driver: The site file's section.
        pools: All pools, whose taints such a node may carry too.
        around: What is the same for all drivers.
    """
    fallback = NvidiaDriver(
        name=DEFAULT_DRIVER,
        version=driver.version or "",
        kernel_module=driver.kernel_module,
        node_selector={},
        tolerations=agent_tolerations(pool for pool in pools if pool.gpu is not None),
        jobs=around.jobs,
    )
    return _made(fallback, driver, around)


def _made(made: NvidiaDriver, driver: DriverArgs, around: DriverSurroundings) -> NvidiaDriver:
    return replace(
        made,
        precompiled=bool(driver.precompiled),
        gds=driver.gds,
        gdrcopy=driver.gdrcopy,
        images=around.images,
        module_options=options_name(driver),
        repositories=repositories_name(around.packages),
        certificates=certificates_name(around.packages),
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
    needed = pool.driver.rdma == "auto" and "proprietary" in flavours
    return pool.fabric.driver if needed or pool.driver.rdma == "peermem" else None


# The operator takes no change of it, and two objects for the same nodes stop all drivers.
_REMADE: Final = pulumi.ResourceOptions(
    replace_on_changes=["spec.usePrecompiled"], delete_before_replace=True
)


def nvidia_driver(name: str, driver: NvidiaDriver, opts: pulumi.ResourceOptions) -> CustomResource:
    """The object in the cluster."""
    return CustomResource(
        name,
        api_version="nvidia.com/v1alpha1",
        kind="NVIDIADriver",
        metadata={"name": driver.name},
        spec=driver.spec(),
        opts=pulumi.ResourceOptions.merge(opts, _REMADE),
    )
