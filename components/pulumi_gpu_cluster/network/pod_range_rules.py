"""Design rules of the pods' addresses: enough of them, and nobody else's.

Those of fabrics are held against them where fabrics are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule

_PATH: Final = "site.network.cni.pod_cidr"
# sources: cilium/cilium v1.20 values.yaml, clusterPoolIPv4MaskSize; projectcalico/calico
# documentation, blockSize: each node takes a block of that size at least
_BLOCK: Final[Mapping[str, int]] = MappingProxyType({"cilium": 24, "calico": 26})
# sources: kubeadm's serviceSubnet and RKE2's service-cidr where nobody says otherwise
_SERVICES: Final[Mapping[str, str]] = MappingProxyType(
    {"existing": "10.96.0.0/12", "kubeadm": "10.96.0.0/12", "rke2": "10.43.0.0/16"}
)
# source: IANA IPv4 special-purpose address registry
_NOBODYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "0.0.0.0/8": "this network",
        "127.0.0.0/8": "the machine itself",
        "169.254.0.0/16": "a link alone",
        "224.0.0.0/3": "groups and experiments",
    }
)


@rule(ERROR, waivable=False)
def pod_range_too_small(case: Case) -> Iterator[Fault]:
    """There are more nodes than the pods' range has blocks, of which each node takes one."""
    cni, pods = case.site.network.cni, _range(case)
    if pods is None:
        return
    block = _BLOCK[cni.kind]
    blocks = 2 ** (block - pods.prefixlen) if pods.prefixlen <= block else 0
    own = len(case.site.control_plane.host_names)
    nodes = own + sum(pool.largest for pool in case.site.node_pools)
    if nodes > blocks:
        message = f"{pods} has {blocks} blocks of {2 ** (32 - block)} addresses for {nodes} nodes"
        prefix = block - (max(nodes, 1) - 1).bit_length()
        fix = f"write a range of /{prefix} at least, for example 10.244.0.0/16"
        yield Fault(_PATH, message, fix)


@rule(ERROR, waivable=False)
def pod_range_taken(case: Case) -> Iterator[Fault]:
    """Pods get addresses that mean something else, or that somebody else has."""
    pods = _range(case)
    if pods is None:
        return
    taken = [
        (IPv4Network(text), f"{text}, which is kept for {what}") for text, what in _NOBODYS.items()
    ]
    taken += [(IPv4Network(address), f"{address}, {whose}") for address, whose in _hosts(case)]
    for network, what in taken:
        if pods.overlaps(network):
            fix = "write a range that nobody in your network has, for example 10.244.0.0/16"
            yield Fault(_PATH, f"{pods} overlaps with {what}", fix)


@rule(WARNING)
def pod_range_of_services(case: Case) -> Iterator[Fault]:
    """Pods get addresses that services have, unless the cluster was set up otherwise."""
    pods, services = _range(case), _SERVICES[case.site.control_plane.kind]
    if pods is not None and pods.overlaps(IPv4Network(services)):
        message = f"{pods} overlaps with {services}, from which services get theirs by default"
        yield Fault(_PATH, message, "write another one, or accept it where services have their own")


def _range(case: Case) -> IPv4Network | None:
    """The range of a CNI that we install; to any other it says nothing."""
    cni = case.site.network.cni
    return IPv4Network(cni.pod_cidr) if cni.kind in _BLOCK and cni.pod_cidr is not None else None


def _hosts(case: Case) -> Iterator[tuple[IPv4Address, str]]:
    """Addresses of machines, where the site file says them in numbers."""
    named = {"the address of the API servers": case.site.control_plane.endpoint}
    named |= {f"the address of host {name}": one.address for name, one in case.site.hosts.items()}
    for whose, text in named.items():
        try:
            yield IPv4Address(text or ""), whose
        except AddressValueError:
            continue


RULES: Final[tuple[Rule, ...]] = (pod_range_too_small, pod_range_taken, pod_range_of_services)
