"""Design rules of fabrics: drivers that cut nobody off, one disruption at a time, room for all."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Final

from pulumi_gpu_cluster.catalog.fabrics import FABRICS
from pulumi_gpu_cluster.network.resources import FabricPool, fabric_pools, means_rdma
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import instead, listed

# source: Mellanox/network-operator v26.4.1 api/v1alpha1/validator: names of its objects become
# parts of labels
_LONGEST_NAME: Final = 30
# The network's own address and that of broadcast.
_NO_HOSTS: Final = 2


@rule(ERROR, waivable=False)
def fabric_unknown(case: Case) -> Iterator[Fault]:
    """A fabric is not in the catalogue."""
    for path, pool in case.each_pool():
        if pool.fabric is not None and pool.fabric.link not in FABRICS:
            where = f"{path}.fabric"
            if pool.fabric.model_fields_set != {"link"}:
                where += ".link"
            message = f"{pool.fabric.link!r} is not in the catalogue of fabrics"
            yield Fault(where, message, instead(pool.fabric.link, list(FABRICS)))


@rule(ERROR, waivable=False)
def fabric_pool_name_too_long(case: Case) -> Iterator[Fault]:
    """A pool with a fabric has a longer name than the Network Operator takes."""
    for path, fabric in _fabrics(case):
        length = len(fabric.pool.name)
        if length > _LONGEST_NAME:
            message = f"has {length} characters, and with a fabric it may have {_LONGEST_NAME}"
            yield Fault(f"{path}.name", message, "shorten it")


@rule(ERROR, waivable=False)
def fabric_incomplete(case: Case) -> Iterator[Fault]:
    """Pods are to have addresses on a fabric, and it is not said which, or by which ports."""
    examples = {"interfaces": "[ens1f0np0]", "addresses": "192.168.64.0/20"}
    for path, fabric in _fabrics(case):
        needed = (
            (("interfaces",) if fabric.args.addresses is not None else ())
            if fabric.shared
            else ("interfaces", "addresses")
        )
        for key in needed:
            if not getattr(fabric.args, key):
                what = "an address on InfiniBand" if fabric.shared else "RoCE"
                message = f"is missing, and {what} needs it"
                fix = f"add it, for example {key}: {examples[key]}"
                yield Fault(f"{path}.fabric.{key}", message, fix)


@rule(WARNING)
def fabric_setting_without_effect(case: Case) -> Iterator[Fault]:
    """A setting of a fabric says nothing to its kind or to who brings the driver."""
    for path, fabric in _fabrics(case):
        given = fabric.args.model_fields_set
        if fabric.shared and "vfs" in given:
            message = f"says nothing to {fabric.kind.name}: InfiniBand adapters are shared"
            yield Fault(f"{path}.fabric.vfs", message, "remove it")
        if fabric.args.driver == "host" and "upgrade" in given:
            message = "says nothing to a driver that comes with the host"
            yield Fault(f"{path}.fabric.upgrade", message, "remove it")


@rule(ERROR)
def mgmt_on_rdma_nic(case: Case) -> Iterator[Fault]:
    """The operator would load its driver for the very port by which the node is reached."""
    for path, fabric in _fabrics(case):
        if fabric.args.carries_node_address and fabric.args.driver == "operator":
            message = (
                "loading the driver takes down the port by which the node is reached, and each "
                "boot tries again"
            )
            fix = "write driver: host, with the driver in the machine's image"
            yield Fault(f"{path}.fabric.driver", message, fix)


@rule(ERROR)
def disruption_budget_missing(case: Case) -> Iterator[Fault]:
    """Two operators upgrade drivers on one pool by themselves, and nothing counts both."""
    for path, fabric in _fabrics(case):
        rolling = fabric.args.driver == "operator" and fabric.args.upgrade == "rolling"
        gpu_driver = fabric.pool.driver
        if rolling and gpu_driver is not None and gpu_driver.source == "operator":
            message = (
                "NIC and GPU driver upgrade themselves here, each one node at a time and neither "
                "counting the other's node: two are down at once, or both drivers change on one"
            )
            fix = "write upgrade: held, and upgrade the NIC driver while no GPU driver changes"
            yield Fault(f"{path}.fabric.upgrade", message, fix)


@rule(ERROR, waivable=False)
def fabric_addresses_too_few(case: Case) -> Iterator[Fault]:
    """A fabric's subnet has fewer addresses than the pool's nodes hand out."""
    for path, fabric in _fabrics(case):
        if fabric.args.addresses is None or not fabric.per_node:
            continue
        room = IPv4Network(fabric.args.addresses).num_addresses - _NO_HOSTS
        wanted = fabric.per_node * fabric.pool.largest
        if wanted > room:
            message = (
                f"{fabric.args.addresses} has room for {max(room, 0)} addresses, and "
                f"{fabric.pool.largest} nodes with {fabric.per_node} each hand out {wanted}"
            )
            prefix = 32 - (wanted + _NO_HOSTS - 1).bit_length()
            yield Fault(f"{path}.fabric.addresses", message, f"write a /{prefix} or a larger one")


@rule(ERROR, waivable=False)
def fabric_addresses_overlap(case: Case) -> Iterator[Fault]:
    """Two networks of pods have addresses in common."""
    taken: list[tuple[str, IPv4Network]] = []
    cni = case.site.network.cni
    if cni.kind != "existing" and cni.pod_cidr is not None:
        taken.append(("the pods' network", IPv4Network(cni.pod_cidr)))
    for path, fabric in _fabrics(case):
        if fabric.args.addresses is None:
            continue
        subnet = IPv4Network(fabric.args.addresses)
        others = [whose for whose, other in taken if other.overlaps(subnet)]
        if others:
            message = f"{subnet} overlaps with {listed(others)}"
            yield Fault(f"{path}.fabric.addresses", message, "write a subnet of its own")
        taken.append((f"the fabric of pool {fabric.pool.name}", subnet))


@rule(ERROR, waivable=False)
def rdma_count_meaning(case: Case) -> Iterator[Fault]:
    """A quota counts adapters by a resource that counts pods which share them."""
    known = {found.pool.name: found for _, found in _fabrics(case)}
    for index, tenant in enumerate(case.site.tenants):
        for name, quota in tenant.quota.pools.items():
            for short in quota.devices:
                fabric = known.get(name)
                if fabric is None or not means_rdma(short):
                    continue
                message = (
                    f"{fabric.resource} is {fabric.per_node} on each node: it counts pods on the "
                    "fabric and not adapters"
                )
                fix = "remove it: who has GPUs in the pool has its fabric"
                yield Fault(f"site.tenants[{index}].quota.{name}.{short}", message, fix)


def _fabrics(case: Case) -> Iterator[tuple[str, FabricPool]]:
    """Each pool with a known fabric, with its path."""
    for path, pool in case.each_pool():
        for fabric in fabric_pools([pool]):
            yield path, fabric


RULES: Final[tuple[Rule, ...]] = (
    fabric_unknown,
    fabric_pool_name_too_long,
    fabric_incomplete,
    fabric_setting_without_effect,
    mgmt_on_rdma_nic,
    disruption_budget_missing,
    fabric_addresses_too_few,
    fabric_addresses_overlap,
    rdma_count_meaning,
)
