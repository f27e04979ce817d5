"""Design rules of Ceph: disks that are meant, and data that outlives a host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.quantity import value
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.storage.ceph.args import CephArgs
from pulumi_gpu_cluster.storage.classes import ceph_pools, driver_name
from pulumi_gpu_cluster.wording import instead, listed

_PATH: Final = "site.storage.ceph"
# source: kubernetes/kubernetes pkg/apis/core/validation, ValidateCSIDriverName
_LONGEST_DRIVER: Final = 63
_LEAST_MONITORS: Final = 3
_SAFE_COPIES: Final = 3
# source: rook/rook v1.20.6, ceph-cluster-crd.md: below it Rook refuses to start the daemon
_LEAST_MEMORY: Final = "2Gi"
# Names of a disk that stay with it, whatever is plugged in beside it.
_BY_ID: Final = "/dev/disk/by-id/"


@rule(ERROR, waivable=False)
def ceph_namespace_too_long(case: Case) -> Iterator[Fault]:
    """Ceph's namespace is too long for the names of the CSI drivers, which begin with it."""
    for ceph in _ceph(case):
        name = driver_name(ceph.namespace, "cephfs")
        if len(name) > _LONGEST_DRIVER:
            most = _LONGEST_DRIVER - len(driver_name("", "cephfs"))
            message = f"the CSI driver {name} has {len(name)} letters, and 63 are the most"
            yield Fault(f"{_PATH}.namespace", message, f"shorten it to {most}, or leave it out")


@rule(ERROR, waivable=False)
def ceph_monitors(case: Case) -> Iterator[Fault]:
    """Ceph has too few monitors, an even number, or more than nodes to put them on."""
    for ceph in _ceph(case):
        path, count, nodes = f"{_PATH}.monitors", ceph.monitors, len(ceph.node_names)
        if count < _LEAST_MONITORS:
            message = f"{count}: the first that fails takes the majority with it"
            yield Fault(path, message, f"write {_LEAST_MONITORS}, or leave it out")
        elif count % 2 == 0:
            message = f"{count} is even: it survives no more failures than {count - 1}"
            yield Fault(path, message, f"write {count - 1} or {count + 1}")
        elif count > nodes:
            message = f"{count} monitors, each on a node of its own, and there are {nodes} nodes"
            yield Fault(path, message, f"name at least {count} nodes in {_PATH}.nodes")


@rule(ERROR, waivable=False)
def ceph_one_copy(case: Case) -> Iterator[Fault]:
    """Ceph is to keep one copy, so that the first disk that fails takes data with it."""
    for ceph in _ceph(case):
        for key, pool in ceph_pools(ceph):
            if pool.replicas == 1:
                message = "is 1: the first disk that fails takes data with it"
                yield Fault(f"{_PATH}.{key}.replicas", message, f"write {_SAFE_COPIES}")


@rule(WARNING)
def ceph_two_copies(case: Case) -> Iterator[Fault]:
    """Ceph keeps two copies, so that one host down and one broken disk lose data."""
    for ceph in _ceph(case):
        for key, pool in ceph_pools(ceph):
            if 1 < pool.replicas < _SAFE_COPIES:
                message = "is 2: with one host down the next broken disk takes data with it"
                yield Fault(f"{_PATH}.{key}.replicas", message, f"write {_SAFE_COPIES}")


@rule(ERROR, waivable=False)
def ceph_too_few_hosts(case: Case) -> Iterator[Fault]:
    """Copies or pieces cannot lie on different hosts, because there are not that many."""
    for ceph in _ceph(case):
        nodes = len(ceph.node_names)
        for key, pool in ceph_pools(ceph):
            path = f"{_PATH}.{key}"
            if pool.replicas > nodes:
                message = f"{pool.replicas} copies on different hosts, and there are {nodes} nodes"
                fix = f"name more nodes in {_PATH}.nodes, or keep fewer copies"
                yield Fault(f"{path}.replicas", message, fix)
            if pool.erasure is not None and pool.hosts > nodes:
                pieces = pool.erasure.data + pool.erasure.coding
                message = f"{pieces} pieces on different hosts, and there are {nodes} nodes"
                fix = f"name at least {pieces} nodes in {_PATH}.nodes, or cut into fewer pieces"
                yield Fault(f"{path}.erasure", message, fix)


@rule(ERROR, waivable=False)
def ceph_node_unknown(case: Case) -> Iterator[Fault]:
    """A storage node is in no pool that names its nodes."""
    for ceph in _ceph(case):
        named = _pool_of(case)
        missing = [node for node in ceph.node_names if node not in named]
        if missing:
            are = "is" if len(missing) == 1 else "are"
            message = f"{listed(missing)} {are} in no pool with nodes:"
            fix = "add a pool with these nodes, or name nodes of a pool that is there"
            yield Fault(f"{_PATH}.nodes", message, fix)


@rule(ERROR)
def ceph_on_gpu_nodes(case: Case) -> Iterator[Fault]:
    """Storage would run on GPU nodes, and nothing says that this is meant."""
    for ceph in _ceph(case):
        named = _pool_of(case)
        found = [node for node in ceph.node_names if node in named and named[node].gpu is not None]
        if found and not ceph.on_gpu_nodes:
            message = f"GPUs are on {listed(found)}, and recovery would take memory from their jobs"
            fix = "name nodes without GPUs, or write on_gpu_nodes: true"
            yield Fault(f"{_PATH}.nodes", message, fix)


@rule(ERROR, waivable=False)
def ceph_device_path(case: Case) -> Iterator[Fault]:
    """A disk goes by a name that another disk may have after the next start."""
    for ceph in _ceph(case):
        for path, device in _devices(ceph):
            if not re.fullmatch(rf"{_BY_ID}[A-Za-z0-9][-A-Za-z0-9_.:+@=]*", device):
                message = f"{device!r} may be another disk after the next start"
                fix = f"write its name under {_BY_ID}, which ls -l shows"
                yield Fault(path, message, fix)


@rule(ERROR, waivable=False)
def ceph_device_twice(case: Case) -> Iterator[Fault]:
    """A disk is listed twice."""
    for ceph in _ceph(case):
        first: dict[str, str] = {}
        for path, device in _devices(ceph):
            before = first.setdefault(device, path)
            if before != path:
                yield Fault(path, f"{device} stands at {before} too", "list each disk once")


@rule(ERROR, waivable=False)
def ceph_no_devices(case: Case) -> Iterator[Fault]:
    """A storage node has no disks, or disks are listed for a node that is none."""
    for ceph in _ceph(case):
        without = [node for node in ceph.node_names if not ceph.devices_of(node)]
        if without:
            message = f"{listed(without)} would hold data, and no disk is named for them"
            fix = f"add devices: [{_BY_ID}...], or hosts: {{{without[0]}: {{devices: [...]}}}}"
            yield Fault(f"{_PATH}.devices", message, fix)
        for node in ceph.hosts:
            if node not in ceph.node_names:
                fix = instead(node, ceph.node_names)
                yield Fault(f"{_PATH}.hosts.{node}", f"{node} is no storage node", fix)


@rule(ERROR, waivable=False)
def ceph_osd_memory(case: Case) -> Iterator[Fault]:
    """A disk's daemon gets less memory than it can run with."""
    for ceph in _ceph(case):
        if value(ceph.osd_memory) < value(_LEAST_MEMORY):
            message = (
                f"{ceph.osd_memory} is less than {_LEAST_MEMORY}, below which Rook starts none"
            )
            yield Fault(f"{_PATH}.osd_memory", message, "write 4Gi, or leave it out")


@rule(ERROR, waivable=False)
def ceph_offers_nothing(case: Case) -> Iterator[Fault]:
    """A Ceph cluster is made from which nobody can have anything."""
    for ceph in _ceph(case):
        if not list(ceph_pools(ceph)):
            message = "offers neither block devices nor files nor objects"
            yield Fault(_PATH, message, "switch one of them on, or remove ceph")


@rule(ERROR, waivable=False)
def ceph_wipe_unconfirmed(case: Case) -> Iterator[Fault]:
    """Disks are to be wiped, and not all that confirms it is there."""
    for ceph in _ceph(case):
        if not ceph.wipe:
            continue
        path = f"{_PATH}.wipe"
        strangers = [device for device in ceph.wipe if device not in ceph.every_device]
        left = [device for device in ceph.every_device if device not in ceph.wipe]
        if strangers:
            message = f"{listed(strangers)} is no disk of this cluster"
            yield Fault(path, message, "name the disks as devices and hosts do")
        if left:
            message = f"leaves out {listed(left)}, and Rook wipes all of them or none"
            yield Fault(path, message, "name every disk, or remove wipe")
        if not case.site.gives_up_data:
            message = "would destroy data, and the site does not give up its data"
            fix = f"add teardown: {{data: delete, confirm: {case.site.name}}}, or remove wipe"
            yield Fault(path, message, fix)


def _ceph(case: Case) -> Iterator[CephArgs]:
    """The site's Ceph, where there is one."""
    if case.site.storage.ceph is not None:
        yield case.site.storage.ceph


def _pool_of(case: Case) -> dict[str, NodePoolArgs]:
    return {node: pool for _, pool in case.each_pool() for node in pool.node_names}


def _devices(ceph: CephArgs) -> Iterator[tuple[str, str]]:
    for index, device in enumerate(ceph.devices):
        yield f"{_PATH}.devices[{index}]", device
    for node, host in ceph.hosts.items():
        for index, device in enumerate(host.devices):
            yield f"{_PATH}.hosts.{node}.devices[{index}]", device


RULES: Final[tuple[Rule, ...]] = (
    ceph_namespace_too_long,
    ceph_monitors,
    ceph_one_copy,
    ceph_two_copies,
    ceph_too_few_hosts,
    ceph_node_unknown,
    ceph_on_gpu_nodes,
    ceph_device_path,
    ceph_device_twice,
    ceph_no_devices,
    ceph_osd_memory,
    ceph_offers_nothing,
    ceph_wipe_unconfirmed,
)
