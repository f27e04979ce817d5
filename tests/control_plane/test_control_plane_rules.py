"""A control plane of ours, from what its section says to what the rules hold against it."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, judged, made_site, places
from pydantic import SecretStr

from pulumi_gpu_cluster.secret import missing_secrets

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}TqHVO0xEFjVQsV4Ll8BL5rZ9pC3kGkLsQ7hYp3C0Q"


def _ours(
    kind: str = "kubeadm", version: str = "1.36.3", names: str = "cp[1-3]", **changes: object
) -> dict[str, Any]:
    """A site whose control plane is built over SSH, with all that this takes."""
    control_plane: dict[str, Any] = {
        "kind": kind,
        "version": version,
        "endpoint": "10.20.0.10",
        "hosts": names,
    }
    if kind == "rke2":
        control_plane["rke2"] = {"token": SecretStr("throw-away")}
    control_plane |= changes
    hosts = ("cp1", "cp2", "cp3", "cp4", "general1", "general2")
    return {
        "control_plane": {key: value for key, value in control_plane.items() if value is not None},
        "ssh": {"user": "ops", "private_key": SecretStr("throw-away")},
        "hosts": {name: {"host_key": KEY.format(f"{i}h")} for i, name in enumerate(hosts)},
        "node_pools": [cpu_pool()],
        "network": {"cni": {"kind": "existing", "name": "canal"} if kind == "rke2" else "cilium"},
    }


def _judged(**changes: object) -> list[tuple[str, str]]:
    site = _ours(**changes)  # type: ignore[arg-type]
    named = made_site(**site).control_plane.host_names
    for name in ("cp1", "cp2", "cp3", "cp4"):
        if name not in named:
            del site["hosts"][name]
    return places(judged(**site))


@pytest.mark.parametrize(
    ("kind", "version"), [("kubeadm", "1.36.3"), ("kubeadm", "1.35.1"), ("rke2", "v1.36.3+rke2r1")]
)
@pytest.mark.parametrize("names", ["cp1", "cp[1-3]"])
def test_a_whole_control_plane_of_ours_has_no_findings(kind: str, version: str, names: str) -> None:
    assert _judged(kind=kind, version=version, names=names) == []


@pytest.mark.parametrize("names", ["cp1", "cp[1-3]"])
def test_without_an_endpoint_no_second_host_could_ever_join(names: str) -> None:
    assert _judged(names=names, endpoint=None) == [
        ("control-plane-endpoint-missing", "site.control_plane.endpoint")
    ]


def test_an_endpoint_that_is_one_hosts_own_goes_down_with_that_host() -> None:
    expected = [("control-plane-endpoint-of-one-host", "site.control_plane.endpoint")]
    assert _judged(endpoint="cp2") == expected
    assert _judged(endpoint="cp1", names="cp1") == [], "a single host is down with itself anyway"


@pytest.mark.parametrize("names", ["cp[1-2]", "cp[1-4]"])
def test_an_even_number_of_hosts_bears_no_more_than_one_fewer(names: str) -> None:
    assert _judged(names=names) == [("control-plane-even", "site.control_plane.hosts")]


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        ("kubeadm", "v1.36.3+rke2r1"),
        ("kubeadm", "v1.36.3"),
        ("rke2", "1.36.3"),
        ("rke2", "v1.36.3"),
    ],
)
def test_a_version_is_written_as_its_kind_names_it(kind: str, version: str) -> None:
    assert _judged(kind=kind, version=version) == [
        ("kubernetes-version-form", "site.control_plane.version")
    ]


def test_an_rke2_version_is_of_the_kubernetes_that_it_carries() -> None:
    site = made_site(**_ours(kind="rke2", version="v1.36.3+rke2r1"))
    assert site.control_plane.kubernetes_version == "1.36.3"
    assert _judged(kind="rke2", version="v1.31.2+rke2r1") == [
        ("kubernetes-version-untested", "site.control_plane.version")
    ]


def test_rke2_needs_its_token_whether_its_section_is_written_or_not() -> None:
    site = _ours(kind="rke2", version="v1.36.3+rke2r1", rke2=None)
    assert [one.path for one in missing_secrets(made_site(**site))] == [
        ("control_plane", "rke2", "token")
    ]
    assert missing_secrets(made_site(**_ours())) == ()


def test_a_kubeconfig_belongs_to_a_cluster_that_exists() -> None:
    assert _judged(context="lab") == [("control-plane-keys", "site.control_plane.context")]


def test_no_host_is_both_control_plane_and_worker() -> None:
    site = _ours(names="cp1")
    site["node_pools"] = [cpu_pool(nodes="cp1,general1")]
    site["hosts"] = {name: site["hosts"][name] for name in ("cp1", "general1")}
    assert places(judged(**site)) == [("control-plane-in-pool", "site.node_pools[0].nodes")]


def test_the_control_plane_of_somebody_else_names_no_hosts() -> None:
    found = judged(control_plane={"version": "1.36.3", "hosts": "cp1"})
    assert places(found) == [("control-plane-keys", "site.control_plane.hosts")]
