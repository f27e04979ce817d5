"""A pool's section on the fabric between its nodes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from pulumi_gpu_cluster.network.subnet import Subnet
from pulumi_gpu_cluster.section import INTERFACE, Section, no_truth_value, shorthand

_INTERFACE = Annotated[str, Field(pattern=INTERFACE)]
# source: NVIDIA ConnectX-6 to -8: virtual functions of one port
_VFS = Annotated[int, Field(ge=1, le=127), BeforeValidator(no_truth_value)]


class FabricArgs(Section):
    """The fast network between the nodes of a pool, and who drives its adapters."""

    link: str
    """Its name in the catalogue: InfiniBand as ndr400 or hdr200, RoCE as roce-400 (`gpu-cluster
    schema` lists them all)."""

    driver: Literal["operator", "host"] = "operator"
    """`operator`: the Network Operator loads the DOCA (OFED) driver in place of the kernel's own.
    `host`: the machine's image has the driver, DOCA's or the kernel's own."""

    upgrade: Literal["held", "rolling"] = "held"
    """What a newer NIC driver does on nodes that run an older one. `held`: it waits until the
    driver's pod on a node is deleted by hand. `rolling`: node by node, each after its jobs have
    ended. The GPU driver has waves of its own, and two of them need not stop at one node."""

    carries_node_address: bool = False
    """Whether an address by which nodes are reached (that of SSH, of the kubelet) sits on a port
    of an NVIDIA adapter. Loading the operator's driver takes that port down."""

    interfaces: tuple[_INTERFACE, ...] = ()
    """Names of the ports on each node, for example [ibs1, ibs2]. On InfiniBand by default every
    port of an NVIDIA adapter. RoCE needs them."""

    addresses: Subnet | None = None
    """Subnet for pods on the fabric, for example 192.168.64.0/20. RoCE needs it. On InfiniBand it
    gives pods IP on the first of `interfaces` (IPoIB); RDMA works without."""

    vfs: _VFS = 8
    """RoCE: virtual functions per port, each for one pod."""


Fabric = Annotated[
    FabricArgs,
    BeforeValidator(
        shorthand("link", str, wanted="the name of a fabric such as ndr400"),
        json_schema_input_type=str | FabricArgs,
    ),
]
"""A pool's fabric: its name (`ndr400`) or an object."""
