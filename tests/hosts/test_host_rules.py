"""Hosts that are built over SSH: known by name, by address and by key."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, judged, misshapen, places
from pydantic import SecretStr

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}hTqHVO0xEFjVQsV4Ll8BL5rZ9pC3kGkLsQ7hYp3C0Q"


def _site(hosts: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {
        "control_plane": {
            "kind": "kubeadm",
            "version": "1.36.3",
            "endpoint": "api.lab.example",
            "hosts": "cp1",
        },
        "ssh": {"user": "ops", "private_key": SecretStr("throw-away")},
        "hosts": hosts,
        "node_pools": [cpu_pool(nodes="n[1-2]")],
        "network": {"cni": "cilium"},
        **changes,
    }


def _hosts(**changes: object) -> dict[str, Any]:
    keys = {name: {"host_key": KEY.format(i)} for i, name in enumerate(("cp1", "n1", "n2"))}
    return keys | changes


def test_hosts_with_a_key_each_have_no_findings() -> None:
    assert judged(**_site(_hosts())) == ()


def test_every_host_that_is_built_needs_its_key() -> None:
    (found,) = judged(**_site({"n1": {"host_key": KEY.format(1)}}))
    assert (found.rule, found.path) == ("host-key-missing", "site.hosts")
    assert "cp1 and n2 have no host_key" in found.message


def test_an_entry_about_nobody_is_a_slip_of_the_pen() -> None:
    (found,) = judged(**_site(_hosts(n22={"rack": "r1"})))
    assert (found.rule, found.path) == ("host-unknown", "site.hosts.n22")
    assert found.fix == "did you mean n2?"


def test_clones_of_one_image_are_told_by_their_key_whatever_stands_behind_it() -> None:
    one = {"host_key": f"{KEY.format(1)} root@image"}
    found = judged(**_site(_hosts(n2=one)))
    assert places(found) == [("host-key-shared", "site.hosts.n2.host_key")]


@pytest.mark.parametrize("address", ["10.20.1.1", "n1"])
def test_two_hosts_have_two_addresses_and_a_name_is_one(address: str) -> None:
    first = {} if address == "n1" else {"address": address}
    hosts = _hosts(
        n1={"host_key": KEY.format(1), **first}, n2={"host_key": KEY.format(2), "address": address}
    )
    assert places(judged(**_site(hosts))) == [("host-address-taken", "site.hosts.n2.address")]


def test_somebody_has_to_log_in() -> None:
    site = _site(_hosts())
    del site["ssh"]
    assert places(judged(**site)) == [("ssh-missing", "site.ssh")]


def test_a_pool_found_by_labels_names_nobody_to_build() -> None:
    pools = [cpu_pool(nodes="n[1-2]"), cpu_pool("cloud", nodes=None, selector={"a": "b"}, count=1)]
    found = judged(**_site(_hosts(), node_pools=pools))
    assert places(found) == [("pool-without-hosts", "site.node_pools[1].selector")]


def test_hosts_of_a_cluster_that_exists_are_nobodys_business() -> None:
    found = judged(hosts={"train01": {"rack": "r1"}})
    assert places(found) == [("hosts-unused", "site.hosts")]


@pytest.mark.parametrize("address", ["10.20.0.10:22", "10.20.0", "", "Host_1", "10.20.0.256"])
def test_what_is_no_address_is_told_by_the_shape(address: str) -> None:
    assert places(misshapen(**_site(_hosts(n1={"address": address})))) == [
        ("malformed", "site.hosts.n1.address")
    ]


@pytest.mark.parametrize(
    "key",
    [
        "ssh-ed25519",
        "ssh-ed25519 AAAA",
        "ssh-dss AAAAC3NzaC1lZDI1NTE5AAAAI",
        "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIHhTqHVO0xEFjVQsV4Ll8BL5rZ9pC3kGkLsQ7hYp3C0Q",
        "cp1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHhTqHVO0xEFjVQsV4Ll8BL5rZ9pC3kGkLsQ7hYp3C0Q",
    ],
)
def test_what_is_no_host_key_is_told_by_the_shape(key: str) -> None:
    assert places(misshapen(**_site(_hosts(n1={"host_key": key})))) == [
        ("malformed", "site.hosts.n1.host_key")
    ]
