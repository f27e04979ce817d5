"""Design rules of the control plane: how to get in, and what a control plane of ours needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog.versions import KUBERNETES_MINORS
from pulumi_gpu_cluster.kubernetes_names import SUBDOMAIN_WORDS, is_subdomain
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed

_PATH: Final = "site.control_plane"
_FORMS: Final = {
    "existing": (re.compile(r"[0-9.]+"), "1.36.3"),
    "kubeadm": (re.compile(r"[0-9.]+"), "1.36.3"),
    "rke2": (re.compile(r"v[0-9.]+\+rke2r[0-9]+"), "v1.36.3+rke2r1"),
}
_OF_A_CLUSTER_THAT_EXISTS: Final = ("kubeconfig", "kubeconfig_file", "context")
_OF_A_CLUSTER_OF_OURS: Final = ("endpoint", "hosts", "rke2")


@rule(ERROR)
def kubernetes_version_untested(case: Case) -> Iterator[Fault]:
    """The cluster runs a Kubernetes version that this package was not tried with."""
    version = case.site.control_plane.kubernetes_version
    if ".".join(version.split(".")[:2]) not in KUBERNETES_MINORS:
        message = f"this release was tried with {listed(KUBERNETES_MINORS)}, not with {version}"
        fix = "upgrade the cluster, or use the release of this package made for its version"
        yield Fault(f"{_PATH}.version", message, fix)


@rule(ERROR, waivable=False)
def kubernetes_version_form(case: Case) -> Iterator[Fault]:
    """The version is not written as the kind of control plane names its versions."""
    control_plane = case.site.control_plane
    form, example = _FORMS[control_plane.kind]
    if not form.fullmatch(control_plane.version):
        message = f"{control_plane.version} is no version with kind: {control_plane.kind}"
        yield Fault(f"{_PATH}.version", message, f"write it as {example}")


@rule(ERROR, waivable=False)
def control_plane_keys(case: Case) -> Iterator[Fault]:
    """The control plane has a key that belongs to another kind of control plane."""
    control_plane = case.site.control_plane
    foreign = _OF_A_CLUSTER_THAT_EXISTS if control_plane.is_built else _OF_A_CLUSTER_OF_OURS
    owner = "existing" if control_plane.is_built else "kubeadm or rke2"
    for key in foreign:
        if getattr(control_plane, key) is not None:
            message = f"belongs to kind: {owner}, and the kind is {control_plane.kind}"
            yield Fault(f"{_PATH}.{key}", message, "remove it, or change the kind")
    if control_plane.kind == "kubeadm" and control_plane.rke2 is not None:
        message = "belongs to kind: rke2, and the kind is kubeadm"
        yield Fault(f"{_PATH}.rke2", message, "remove it, or change the kind")


@rule(ERROR, waivable=False)
def control_plane_endpoint_missing(case: Case) -> Iterator[Fault]:
    """A control plane of ours has no address of its own, so that no second host could join."""
    control_plane = case.site.control_plane
    if control_plane.is_built and control_plane.endpoint is None:
        message = "is missing, and no certificate could be mended for it later"
        fix = "write a free address beside the hosts', or a DNS name, even for one host"
        yield Fault(f"{_PATH}.endpoint", message, fix)


@rule(ERROR)
def control_plane_endpoint_of_one_host(case: Case) -> Iterator[Fault]:
    """The address of the whole control plane is that of one host, and would go down with it."""
    control_plane = case.site.control_plane
    names = control_plane.host_names
    if control_plane.endpoint is None or len(names) == 1:
        return
    for name in names:
        entry = case.site.hosts.get(name)
        if control_plane.endpoint in (name, entry.address if entry is not None else None):
            message = f"{control_plane.endpoint} is the address of {name} alone"
            fix = "write a virtual address, a load balancer's, or a DNS name for all of them"
            yield Fault(f"{_PATH}.endpoint", message, fix)


@rule(ERROR, waivable=False)
def control_plane_hosts_missing(case: Case) -> Iterator[Fault]:
    """A control plane of ours names no host to run on."""
    control_plane = case.site.control_plane
    if control_plane.is_built and not control_plane.host_names:
        fix = "add hosts: cp[1-3], or write kind: existing for a cluster that is there"
        yield Fault(f"{_PATH}.hosts", "is missing", fix)


@rule(ERROR, waivable=False)
def control_plane_name_malformed(case: Case) -> Iterator[Fault]:
    """A control-plane host has a name that no node can have."""
    wrong = [name for name in case.site.control_plane.host_names if not is_subdomain(name)]
    if wrong:
        message = f"{listed(map(repr, wrong))} cannot name nodes: {SUBDOMAIN_WORDS}"
        yield Fault(f"{_PATH}.hosts", message, "write the hosts' own names, in lower case")


@rule(ERROR)
def control_plane_even(case: Case) -> Iterator[Fault]:
    """An even number of control-plane hosts bears no more failures than one host fewer."""
    count = len(case.site.control_plane.host_names)
    if count and count % 2 == 0:
        bears = (count - 1) // 2
        message = (
            f"{count} hosts bear the loss of {bears}, as {count - 1} do: etcd needs more than half"
        )
        yield Fault(f"{_PATH}.hosts", message, f"name {count - 1} or {count + 1} hosts")


@rule(ERROR, waivable=False)
def control_plane_in_pool(case: Case) -> Iterator[Fault]:
    """A host of the control plane stands in a pool, whose jobs would starve etcd."""
    names = set(case.site.control_plane.host_names)
    for path, pool in case.each_pool():
        both = [name for name in pool.node_names if name in names]
        if both:
            message = f"{listed(both)} of the control plane stand in pool {pool.name} too"
            yield Fault(f"{path}.nodes", message, "give the control plane hosts of its own")


@rule(ERROR, waivable=False)
def kubeconfig_twice(case: Case) -> Iterator[Fault]:
    """The kubeconfig is given both as a secret and as a file."""
    control_plane = case.site.control_plane
    if control_plane.kubeconfig is not None and control_plane.kubeconfig_file is not None:
        message = "stands beside kubeconfig, and only one of them can count"
        yield Fault(f"{_PATH}.kubeconfig_file", message, "remove one of them")


@rule(ERROR, waivable=False)
def kubeconfig_file_no_path(case: Case) -> Iterator[Fault]:
    """Where the path of a kubeconfig belongs stands something else."""
    path = case.site.control_plane.kubeconfig_file
    if path is not None and (not path.isprintable() or path != path.strip()):
        message = "is no path; if it is the kubeconfig itself, count it as known to others"
        fix = "write the path of the file, for example lab.kubeconfig"
        yield Fault(f"{_PATH}.kubeconfig_file", message, fix)


RULES: Final[tuple[Rule, ...]] = (
    kubernetes_version_untested,
    kubernetes_version_form,
    control_plane_keys,
    control_plane_endpoint_missing,
    control_plane_endpoint_of_one_host,
    control_plane_hosts_missing,
    control_plane_name_malformed,
    control_plane_even,
    control_plane_in_pool,
    kubeconfig_twice,
    kubeconfig_file_no_path,
)
