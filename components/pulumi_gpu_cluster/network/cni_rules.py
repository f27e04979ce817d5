"""Design rules of the pods' network: tenants kept apart, and nothing left to guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule

# sources: flannel-io/flannel documentation ("focused on networking"); flannel-io/flannel#2183;
# containernetworking/plugins: bridge and ptp have no policies at all
_WITHOUT_POLICY: Final = frozenset({"flannel", "bridge", "ptp", "kubenet"})
# sources: each project's documentation on NetworkPolicy
_WITH_POLICY: Final = frozenset(
    {
        "antrea",
        "calico",
        "canal",
        "cilium",
        "dataplane-v2",
        "kindnet",
        "kube-ovn",
        "kube-router",
        "ovn-kubernetes",
        "weave",
    }
)
# source: RKE2 documentation, basic network options
_BROUGHT_BY: Final[Mapping[str, str]] = MappingProxyType({"rke2": "canal"})
_PATH: Final = "site.network.cni"
_CURE: Final = "write cni: cilium or calico, or add an engine for policies beside it"


@rule(ERROR, waivable=False)
def cni_no_networkpolicy(case: Case) -> Iterator[Fault]:
    """Tenants are kept apart by NetworkPolicy, and the CNI does not enforce it."""
    name = _existing(case)
    if name in _WITHOUT_POLICY and case.site.tenants:
        message = f"{name} takes NetworkPolicies and enforces none: tenants reach each other's pods"
        yield Fault(f"{_PATH}.name", message, f"{_CURE} (flannel's is canal) and name that")


@rule(WARNING)
def cni_unknown(case: Case) -> Iterator[Fault]:
    """Nothing says whether the CNI enforces the NetworkPolicies that keep tenants apart."""
    name = _existing(case)
    built = case.site.control_plane.kind == "kubeadm"
    if not case.site.tenants or name is None or name in _WITHOUT_POLICY | _WITH_POLICY or built:
        return
    if name:
        message = f"{name} is none that we know to enforce NetworkPolicy, which keeps tenants apart"
        yield Fault(f"{_PATH}.name", message, "make sure that it does, and accept this")
    else:
        message = "tenants are kept apart by NetworkPolicy, and nothing says which CNI holds it"
        fix = "name it, as cni: {kind: existing, name: calico}"
        yield Fault(_PATH, message, fix)


@rule(ERROR, waivable=False)
def cni_incomplete(case: Case) -> Iterator[Fault]:
    """A CNI that we install lacks what it cannot guess."""
    cni = case.site.network.cni
    if cni.kind == "calico" and cni.pod_cidr is None:
        fix = "write the range of kubeadm's podSubnet, for example 10.244.0.0/16"
        yield Fault(f"{_PATH}.pod_cidr", "is missing, and Calico needs it", fix)


@rule(ERROR, waivable=False)
def cni_missing(case: Case) -> Iterator[Fault]:
    """Nobody installs a CNI, and no pod can run."""
    cni = case.site.network.cni
    if case.site.control_plane.kind == "kubeadm" and cni.kind == "existing":
        message = "kubeadm installs none, so the cluster that we make brings none"
        yield Fault(_PATH, message, "write cni: cilium, or calico with its pod_cidr")


@rule(WARNING)
def cni_setting_without_effect(case: Case) -> Iterator[Fault]:
    """A setting of the CNI says nothing to the kind that was chosen."""
    cni = case.site.network.cni
    given = ("pod_cidr", "mtu") if cni.kind == "existing" else ("name",)
    for key in given:
        if getattr(cni, key) is not None:
            message = f"says nothing with kind: {cni.kind}"
            yield Fault(f"{_PATH}.{key}", message, "remove it")


def _existing(case: Case) -> str | None:
    """The name of the CNI that the cluster brings, empty where it has none; None for ours."""
    cni = case.site.network.cni
    if cni.kind != "existing":
        return None
    by_default = _BROUGHT_BY.get(case.site.control_plane.kind, "")
    return (cni.name or by_default).lower()


RULES: Final[tuple[Rule, ...]] = (
    cni_no_networkpolicy,
    cni_unknown,
    cni_incomplete,
    cni_missing,
    cni_setting_without_effect,
)
