"""GPUs that people own, by the name the site file calls them: model, form factor, memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.catalog import drivers, mig


@dataclass(frozen=True, slots=True)
class GpuModel:
    """One model of GPU.

    Attributes:
        name: Its name in the site file: H100-SXM5-80GB.
        gfd_product: What GPU Feature Discovery writes into `nvidia.com/gpu.product` for a whole
            GPU: the product's name as the driver prints it, with dashes for blanks.
        memory_gb: Memory as the product's name has it, in GB.
        architecture: Its architecture: Hopper.
        compute_capability: CUDA compute capability, major and minor.
        mig_board: Id of its board in the MIG catalogue; None where it has no MIG.
        min_driver: The oldest driver or driver branch that runs it without MIG, where that is
            newer than its architecture's first branch.
        min_mig_driver: The oldest driver with MIG, where it differs from its board's.
        open_module_only: Whether only the open kernel module runs it.
        sxm: Whether it sits on a board that NVSwitches can join, where that is of eight.
        data_centre: Whether NVIDIA's forward-compatibility package of CUDA runs on it.
        own_board: Its board, where that is not in the MIG catalogue but told by a site.
    """

    name: str
    gfd_product: str
    memory_gb: int
    architecture: str
    compute_capability: tuple[int, int]
    mig_board: str | None = None
    min_driver: str | None = None
    min_mig_driver: str | None = None
    open_module_only: bool = False
    data_centre: bool = True
    own_board: mig.MigBoard | None = None
    sxm: bool = False

    def is_switched(self, count: int) -> bool:
        """Whether so many of them on one board are joined by NVSwitches.

        source: NVIDIA Fabric Manager User Guide: HGX boards of eight from A100 on
        """
        return self.sxm and count >= _HGX

    @property
    def has_nvlink_5(self) -> bool:
        """Whether its NVLink is brought up by drivers of InfiniBand, as Blackwell's first is."""
        return self.compute_capability[0] == _BLACKWELL[1][0]

    @property
    def mig(self) -> mig.MigBoard | None:
        """What it can be cut into; None where it has no MIG."""
        return self.own_board if self.mig_board is None else mig.boards()[self.mig_board]

    @property
    def oldest_driver(self) -> str | None:
        """The oldest driver or branch that runs it without MIG; None where no source says."""
        family = self.family
        first = None if family is None else family.first_branch
        return self.min_driver or (None if first is None else str(first))

    @property
    def last_branch(self) -> int | None:
        """The newest driver branch that runs it; None where that is not known to end."""
        return None if self.family is None else self.family.last_branch

    @property
    def oldest_mig_driver(self) -> str | None:
        """The oldest driver with MIG on it; None where no source says."""
        board = self.mig
        return self.min_mig_driver or (board.min_driver if board is not None else None)

    @property
    def kernel_module(self) -> str:
        """The kernel module flavour it needs: open, proprietary, or any."""
        if self.open_module_only:
            return "open"
        return "any" if self.family is None else self.family.kernel_module

    @property
    def family(self) -> drivers.Architecture | None:
        """What is known of its architecture: nothing of one that only a site tells of."""
        return drivers.architectures().get(self.architecture)


# GPUs of a board with NVSwitches.
_HGX: Final = 8

_VOLTA: Final = ("Volta", (7, 0))
_TURING: Final = ("Turing", (7, 5))
_AMPERE: Final = ("Ampere", (8, 0))
_AMPERE_GRAPHICS: Final = ("Ampere", (8, 6))
_ADA: Final = ("Ada", (8, 9))
_HOPPER: Final = ("Hopper", (9, 0))
_BLACKWELL: Final = ("Blackwell", (10, 0))
_BLACKWELL_ULTRA: Final = ("Blackwell", (10, 3))
_BLACKWELL_GRAPHICS: Final = ("Blackwell", (12, 0))

# sources: NVIDIA MIG User Guide v620 (boards, memory); NVIDIA's list of CUDA GPUs (compute
# capabilities); NVIDIA/cloud-native-docs gpu-operator-v26.7-1 platform-support.rst (the drivers
# and kernel modules named here); NVIDIA CUDA Compatibility, Forward Compatibility (for GPUs of
# data centres; of RTX cards for some servers' only, which the name does not tell). The products
# as GPU Feature Discovery prints them were seen for H100-SXM5-80GB, A100-PCIE-80GB and B300; the
# others follow from the products' names.
_MODELS: Final = (
    GpuModel("V100-PCIE-16GB", "Tesla-V100-PCIE-16GB", 16, *_VOLTA),
    GpuModel("V100-PCIE-32GB", "Tesla-V100-PCIE-32GB", 32, *_VOLTA),
    GpuModel("V100-SXM2-16GB", "Tesla-V100-SXM2-16GB", 16, *_VOLTA),
    GpuModel("V100-SXM2-32GB", "Tesla-V100-SXM2-32GB", 32, *_VOLTA),
    GpuModel("T4-16GB", "Tesla-T4", 16, *_TURING),
    GpuModel("A10-24GB", "NVIDIA-A10", 24, *_AMPERE_GRAPHICS),
    GpuModel("A40-48GB", "NVIDIA-A40", 48, *_AMPERE_GRAPHICS),
    GpuModel("A30-PCIE-24GB", "NVIDIA-A30", 24, *_AMPERE, "a30-24gb"),
    GpuModel("A100-PCIE-40GB", "NVIDIA-A100-PCIE-40GB", 40, *_AMPERE, "a100-40gb"),
    GpuModel("A100-SXM4-40GB", "NVIDIA-A100-SXM4-40GB", 40, *_AMPERE, "a100-40gb", sxm=True),
    GpuModel("A100-PCIE-80GB", "NVIDIA-A100-80GB-PCIe", 80, *_AMPERE, "a100-80gb"),
    GpuModel("A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB", 80, *_AMPERE, "a100-80gb", sxm=True),
    GpuModel("A800-SXM4-80GB", "NVIDIA-A800-SXM4-80GB", 80, *_AMPERE, "a100-80gb", sxm=True),
    GpuModel("L4-24GB", "NVIDIA-L4", 24, *_ADA),
    GpuModel("L40-48GB", "NVIDIA-L40", 48, *_ADA),
    GpuModel("L40S-48GB", "NVIDIA-L40S", 48, *_ADA),
    GpuModel("H100-PCIE-80GB", "NVIDIA-H100-PCIe", 80, *_HOPPER, "h100-80gb"),
    GpuModel("H100-SXM5-80GB", "NVIDIA-H100-80GB-HBM3", 80, *_HOPPER, "h100-80gb", sxm=True),
    GpuModel("H800-SXM5-80GB", "NVIDIA-H800", 80, *_HOPPER, "h100-80gb", sxm=True),
    GpuModel("H100-NVL-94GB", "NVIDIA-H100-NVL", 94, *_HOPPER, "h100-94gb"),
    GpuModel(
        "H20-SXM-96GB",
        "NVIDIA-H20",
        96,
        *_HOPPER,
        "h100-96gb",
        min_mig_driver="535.161.07",
        sxm=True,
    ),
    GpuModel("GH200-96GB", "NVIDIA-GH200-480GB", 96, *_HOPPER, "h100-96gb", open_module_only=True),
    GpuModel(
        "GH200-144GB",
        "NVIDIA-GH200-144G-HBM3e",
        144,
        *_HOPPER,
        "gh200-144gb",
        open_module_only=True,
    ),
    GpuModel("H200-SXM-141GB", "NVIDIA-H200", 141, *_HOPPER, "h200-141gb", sxm=True),
    GpuModel("H200-NVL-141GB", "NVIDIA-H200-NVL", 141, *_HOPPER, "h200-141gb"),
    GpuModel("B200-SXM-180GB", "NVIDIA-B200", 180, *_BLACKWELL, "b200-180gb", sxm=True),
    GpuModel("GB200-186GB", "NVIDIA-GB200", 186, *_BLACKWELL, "gb200-186gb"),
    GpuModel(
        "B300-SXM-269GB",
        "NVIDIA-B300-SXM6-AC",
        269,
        *_BLACKWELL_ULTRA,
        "b300-269gb",
        min_driver="580",
        sxm=True,
    ),
    GpuModel(
        "GB300-278GB", "NVIDIA-GB300", 278, *_BLACKWELL_ULTRA, "gb300-278gb", min_driver="580"
    ),
    GpuModel(
        "RTX-PRO-6000-96GB",
        "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
        96,
        *_BLACKWELL_GRAPHICS,
        "rtxpro6000-96gb",
        data_centre=False,
        min_driver="575.57.08",
    ),
    GpuModel(
        "RTX-PRO-5000-48GB",
        "NVIDIA-RTX-PRO-5000-Blackwell",
        48,
        *_BLACKWELL_GRAPHICS,
        "rtxpro5000-48gb",
        data_centre=False,
    ),
    GpuModel(
        "RTX-PRO-4500-32GB",
        "NVIDIA-RTX-PRO-4500-Blackwell",
        32,
        *_BLACKWELL_GRAPHICS,
        "rtxpro4500-32gb",
        data_centre=False,
    ),
)

GPUS: Final[Mapping[str, GpuModel]] = MappingProxyType({model.name: model for model in _MODELS})
"""Every model, by the name the site file calls it."""
