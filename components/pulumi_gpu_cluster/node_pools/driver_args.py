"""A pool's section on its driver: which one, who installs it, and what else comes with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.node_pools.upgrade_args import UpgradeArgs
from pulumi_gpu_cluster.section import (
    DRIVER_VERSION,
    KERNEL,
    MODULE_OPTION,
    Section,
    shorthand,
)


class DriverArgs(Section):
    """Which NVIDIA driver a pool runs, and who installs it."""

    source: Literal["operator", "host", "managed"] = "operator"
    """`operator`: the GPU Operator installs `version`. `host`: the machine's image carries
    the driver. `managed`: a cloud's node image does."""

    version: Annotated[str, Field(pattern=DRIVER_VERSION)] | None = None
    """The exact driver version, for example 580.173.02. Needed where the operator installs it."""

    kernel_module: Literal["auto", "open", "proprietary"] = "auto"
    """Kernel module flavour; Blackwell and GH200 need the open one, GPUs before Turing the
    proprietary one."""

    toolkit: Literal["operator", "host"] | None = None
    """Who installs the container toolkit: by default who installs the driver. `operator` beside
    `source: host` is for images with a driver and no toolkit."""

    fabric_manager: Annotated[str, Field(pattern=DRIVER_VERSION)] | None = None
    """With `source: host` on boards with NVSwitches: the version of NVIDIA's Fabric Manager in the
    image. It has to be the driver's."""

    precompiled: tuple[Annotated[str, Field(pattern=KERNEL)], ...] | None = None
    """Kernels that the pool's nodes run (`uname -r`), for which images with ready-made modules
    exist: nothing is compiled on the nodes. What is pinned then is the branch of `version`, and
    which release of it comes the image decides. Without it modules are compiled on each node."""

    rdma: Literal["auto", "dma-buf", "peermem"] = "auto"
    """How network adapters reach GPU memory. `dma-buf`: through the kernel; needs the open module
    and kernel 5.12. `peermem`: through the module nvidia-peermem, built against the NIC driver of
    the pool's `fabric`. `auto`: peermem where the kernel module is the proprietary one."""

    gds: bool = False
    """GPUDirect Storage: loads nvidia-fs, by which file systems read into GPU memory. Needs
    `kernel_module: open` in so many words."""

    gdrcopy: bool = False
    """GDRCopy: loads gdrdrv, by which the CPU copies small amounts to and from GPU memory."""

    module_options: tuple[Annotated[str, Field(pattern=MODULE_OPTION)], ...] = ()
    """Options of the kernel module nvidia, for example
    NVreg_RestrictProfilingToAdminUsers=0, with which everybody may profile."""

    upgrade: UpgradeArgs | None = None
    """How another version comes to the pool's nodes: canaries, then waves. Only where the
    operator installs the driver on nodes that the site names."""

    @property
    def pinned(self) -> str | None:
        """The version that runs and no other; None where somebody else decides that."""
        return None if self.precompiled else self.version

    @property
    def whose_toolkit(self) -> Literal["operator", "host"]:
        """Who installs the container toolkit."""
        return self.toolkit or ("operator" if self.source == "operator" else "host")


Driver = Annotated[
    DriverArgs,
    BeforeValidator(
        shorthand("version", str, wanted='a version in quotes, such as "580.173.02"'),
        json_schema_input_type=str | DriverArgs,
    ),
]
"""A pool's driver: its version (`580.173.02`) or an object."""
