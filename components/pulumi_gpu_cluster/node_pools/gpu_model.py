"""What is known of a pool's GPUs: what the site says of them, else the catalogue."""

from __future__ import annotations

from types import MappingProxyType

from pulumi_gpu_cluster.catalog.gpus import GPUS, GpuModel
from pulumi_gpu_cluster.catalog.mig import MigBoard, Profile
from pulumi_gpu_cluster.node_pools.gpu_args import GpuArgs, GpuFacts, MigFacts
from pulumi_gpu_cluster.quantity import value

_GIBI = 2**30


def model_of(gpu: GpuArgs) -> GpuModel | None:
    """The model of a pool's GPUs; None where neither site nor catalogue knows it."""
    return model_from(gpu.model, gpu.facts)


def model_from(name: str, facts: GpuFacts | None) -> GpuModel | None:
    """The model of a name, with what a site says of it going before the catalogue."""
    if facts is None:
        return GPUS.get(name)
    major, minor = facts.compute_capability.split(".")
    known = GPUS.get(name)
    return GpuModel(
        name=name,
        gfd_product=facts.product or (known.gfd_product if known else f"NVIDIA-{name}"),
        memory_gb=int(value(facts.memory) // _GIBI),
        architecture=known.architecture if known else "",
        compute_capability=(int(major), int(minor)),
        min_driver=facts.min_driver,
        min_mig_driver=facts.mig.min_driver if facts.mig is not None else None,
        open_module_only=facts.open_kernel_module,
        data_centre=known.data_centre if known else True,
        sxm=known.sxm if known else False,
        own_board=None if facts.mig is None else _board(name, facts.mig, known),
    )


def _board(name: str, facts: MigFacts, known: GpuModel | None) -> MigBoard:
    board = known.mig if known is not None else None
    return MigBoard(
        id=name.lower(),
        compute_slices=facts.compute_slices,
        memory_slices=facts.memory_slices,
        max_instances=facts.compute_slices,
        min_driver=facts.min_driver,
        profiles=MappingProxyType(
            {
                profile: Profile(profile, one.compute, one.memory, one.max, one.starts)
                for profile, one in facts.profiles.items()
            }
        ),
        # The same board under other names of its profiles is still the same device.
        pci_devices=board.pci_devices if board is not None else (),
    )
