"""Rules of the pods' network, at their edges."""

from __future__ import annotations

import pytest
from made_site import judged, misshapen, places, tenant

CNI = "site.network.cni"


def _found(cni: object, *, tenants: int = 1) -> list[tuple[str, str]]:
    names = [
        tenant(f"team-{number}", {"general": {"cpu": 1, "memory": "1Gi"}})
        for number in range(tenants)
    ]
    return places(judged(network={"cni": cni}, tenants=names))


@pytest.mark.parametrize("name", ["flannel", "Flannel", "bridge"])
def test_tenants_on_a_cni_that_takes_policies_and_enforces_none_are_refused(name: str) -> None:
    assert _found({"kind": "existing", "name": name}) == [("cni-no-networkpolicy", f"{CNI}.name")]


@pytest.mark.parametrize("name", ["calico", "cilium", "canal", "antrea"])
def test_tenants_on_a_cni_that_enforces_policies_are_let_be(name: str) -> None:
    assert _found({"kind": "existing", "name": name}) == []


def test_one_user_alone_may_have_any_cni() -> None:
    assert _found({"kind": "existing", "name": "flannel"}, tenants=0) == []
    assert _found("existing", tenants=0) == []


def test_a_cni_that_nobody_names_or_knows_is_told_where_tenants_rely_on_it() -> None:
    assert _found("existing") == [("cni-unknown", CNI)]
    assert _found({"kind": "existing", "name": "home-grown"}) == [("cni-unknown", f"{CNI}.name")]


@pytest.mark.parametrize(
    "cni",
    ["cilium", {"kind": "calico", "pod_cidr": "10.244.0.0/16"}, {"kind": "cilium", "mtu": 9000}],
)
def test_a_cni_of_ours_keeps_tenants_apart(cni: object) -> None:
    assert _found(cni) == []


def test_calico_cannot_guess_the_range_of_pods() -> None:
    assert _found("calico") == [("cni-incomplete", f"{CNI}.pod_cidr")]


def test_a_setting_that_says_nothing_to_the_chosen_kind_is_told() -> None:
    cni = {"kind": "existing", "name": "calico", "pod_cidr": "10.244.0.0/16", "mtu": 1450}
    assert _found(cni) == [
        ("cni-setting-without-effect", f"{CNI}.pod_cidr"),
        ("cni-setting-without-effect", f"{CNI}.mtu"),
    ]
    assert _found({"kind": "cilium", "name": "cilium"}) == [
        ("cni-setting-without-effect", f"{CNI}.name")
    ]


@pytest.mark.parametrize(
    ("cidr", "said"),
    [
        ("10.244.0.1/16", "did you mean 10.244.0.0/16?"),
        ("10.244.0.0/33", "is no IPv4 subnet;"),
        ("fd00::/64", "is no IPv4 subnet;"),
        ("all of them", "is no IPv4 subnet;"),
    ],
)
def test_a_range_is_a_subnet_written_by_its_first_address(cidr: str, said: str) -> None:
    (finding,) = misshapen(network={"cni": {"kind": "calico", "pod_cidr": cidr}})
    assert finding.path == f"{CNI}.pod_cidr"
    assert said in f"{finding.message}; {finding.fix}"


def test_a_tenant_cannot_have_a_namespace_that_the_cni_makes() -> None:
    cni = {"kind": "calico", "pod_cidr": "10.244.0.0/16"}
    quota = {"general": {"cpu": 1, "memory": "1Gi"}}
    found = judged(network={"cni": cni}, tenants=[tenant("calico-system", quota)])
    assert places(found) == [("name-reserved", "site.tenants[0].name")]


def test_a_cluster_that_kubeadm_makes_needs_a_cni_of_ours() -> None:
    kubeadm = {"kind": "kubeadm", "version": "1.36.3", "endpoint": "10.0.0.1", "hosts": "cp1"}
    found = places(judged(control_plane=kubeadm, network={}))
    assert ("cni-missing", CNI) in found
    with_one = places(judged(control_plane=kubeadm, network={"cni": "cilium"}))
    assert not [rule for rule, _ in with_one if rule.startswith("cni-")]


def test_rke2_brings_a_cni_that_keeps_tenants_apart() -> None:
    rke2 = {"kind": "rke2", "version": "v1.36.3+rke2r1", "endpoint": "10.0.0.1", "hosts": "cp1"}
    quota = {"general": {"cpu": 1, "memory": "1Gi"}}
    found = places(judged(control_plane=rke2, network={}, tenants=[tenant(quota=quota)]))
    assert not [rule for rule, _ in found if rule.startswith("cni-")]
