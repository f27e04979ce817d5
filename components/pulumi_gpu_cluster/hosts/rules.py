"""Design rules of hosts: who they are, and that we talk to them and to nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.wording import listed, nearest


def built_hosts(site: Site) -> tuple[str, ...]:
    """Names of the hosts that are built over SSH: control plane first, then pool by pool."""
    if not site.control_plane.is_built:
        return ()
    workers = (name for pool in site.node_pools for name in pool.node_names)
    return tuple(dict.fromkeys((*site.control_plane.host_names, *workers)))


@rule(ERROR, waivable=False)
def hosts_unused(case: Case) -> Iterator[Fault]:
    """Hosts are described, and the control plane exists already, so that none is built."""
    if case.site.control_plane.is_built:
        return
    for key in ("hosts", "ssh"):
        if getattr(case.site, key):
            message = "describes hosts, and with control_plane.kind: existing none is reached"
            yield Fault(f"site.{key}", message, "remove it, or write kind: kubeadm or rke2")


@rule(ERROR, waivable=False)
def host_unknown(case: Case) -> Iterator[Fault]:
    """An entry is about a host that is neither of the control plane nor in a pool."""
    known = built_hosts(case.site)
    for name in case.site.hosts if known else ():
        if name not in known:
            close = nearest(name, known)
            fix = f"did you mean {close}?" if close else "remove it, or add it to a pool's nodes"
            message = f"neither control_plane.hosts nor a pool's nodes name {name}"
            yield Fault(f"site.hosts.{name}", message, fix)


@rule(ERROR, waivable=False)
def ssh_missing(case: Case) -> Iterator[Fault]:
    """Hosts are to be built, and nothing says who logs in there."""
    if case.site.control_plane.is_built and case.site.ssh is None:
        fix = "add ssh: {user: <who logs in>}, then its private_key as a secret"
        yield Fault("site.ssh", "is missing", fix)


@rule(ERROR, waivable=False)
def host_key_missing(case: Case) -> Iterator[Fault]:
    """A host is to be built and nobody would know whether it is the one that answers."""
    without = [
        name
        for name in built_hosts(case.site)
        if (entry := case.site.hosts.get(name)) is None or entry.host_key is None
    ]
    if without:
        verb = "has" if len(without) == 1 else "have"
        fix = "add each as <name>: {host_key: ...}, read from /etc/ssh/ssh_host_ed25519_key.pub"
        yield Fault("site.hosts", f"{listed(without)} {verb} no host_key", fix)


@rule(WARNING)
def host_key_shared(case: Case) -> Iterator[Fault]:
    """Hosts have one host key: clones of one image, which share a machine id too."""
    first: dict[str, str] = {}
    for name, entry in case.site.hosts.items():
        before = first.setdefault(entry.host_key, name) if entry.host_key is not None else name
        if before != name:
            fix = "make host key and /etc/machine-id anew on each, and write the new key"
            yield Fault(f"site.hosts.{name}.host_key", f"is the key of {before} too", fix)


@rule(ERROR, waivable=False)
def host_address_taken(case: Case) -> Iterator[Fault]:
    """Two hosts have the same address."""
    first: dict[str, str] = {}
    for name in built_hosts(case.site):
        entry = case.site.hosts.get(name)
        address = entry.address if entry is not None and entry.address is not None else name
        before = first.setdefault(address, name)
        if before != name:
            fix = "give each host its own address"
            yield Fault(
                f"site.hosts.{name}.address", f"{address} is the address of {before} too", fix
            )


@rule(ERROR)
def pool_without_hosts(case: Case) -> Iterator[Fault]:
    """A pool is found by labels, and on hosts of ours nobody would make the nodes."""
    for path, pool in case.each_pool():
        if case.site.control_plane.is_built and pool.selector is not None:
            kind = case.site.control_plane.kind
            message = f"with control_plane.kind: {kind} we build the nodes, and it names none"
            yield Fault(f"{path}.selector", message, "name them: nodes: gpu[01-12]")


RULES: Final[tuple[Rule, ...]] = (
    hosts_unused,
    host_unknown,
    ssh_missing,
    host_key_missing,
    host_key_shared,
    host_address_taken,
    pool_without_hosts,
)
