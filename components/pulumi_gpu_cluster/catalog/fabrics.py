"""Fabrics between GPU nodes, by the name the site file calls them: technology and speed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Fabric:
    """One kind of fabric.

    Attributes:
        name: Its name in the site file: ndr400.
        link: What the ports speak.
        gbit_per_s: What one port carries each way, in Gbit/s.
    """

    name: str
    link: Literal["infiniband", "ethernet"]
    gbit_per_s: int


# sources: InfiniBand Trade Association, InfiniBand roadmap (a port of four lanes, and for HDR and
# NDR of two); IEEE 802.3by (25), 802.3ba (100), 802.3bs (200, 400) and 802.3df (800), over which
# RoCE runs; Network Operator 26.4.1 platform support (ConnectX-4 to ConnectX-8)
FABRICS: Final[Mapping[str, Fabric]] = MappingProxyType(
    {
        fabric.name: fabric
        for fabric in (
            Fabric("edr100", "infiniband", 100),
            Fabric("hdr100", "infiniband", 100),
            Fabric("hdr200", "infiniband", 200),
            Fabric("ndr200", "infiniband", 200),
            Fabric("ndr400", "infiniband", 400),
            Fabric("xdr800", "infiniband", 800),
            Fabric("roce-25", "ethernet", 25),
            Fabric("roce-100", "ethernet", 100),
            Fabric("roce-200", "ethernet", 200),
            Fabric("roce-400", "ethernet", 400),
            Fabric("roce-800", "ethernet", 800),
        )
    }
)
"""Every fabric, by its name."""
