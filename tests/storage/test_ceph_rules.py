from __future__ import annotations

from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, judged, misshapen, places

DISKS = ["/dev/disk/by-id/nvme-a", "/dev/disk/by-id/nvme-b"]
POOLS = [gpu_pool(), cpu_pool(), cpu_pool("keep", nodes="st[1-6]")]
GIVEN_UP = {"data": "delete", "confirm": "lab"}


def ceph(**changes: object) -> dict[str, Any]:
    return {"nodes": "st[1-6]", "devices": DISKS, **changes}


def found(section: dict[str, Any], **changes: Any) -> list[tuple[str, str]]:
    storage = {"ceph": section}
    return [
        (rule, path.removeprefix("site.storage.ceph"))
        for rule, path in places(judged(node_pools=POOLS, storage=storage, **changes))
        if rule != "quota-empty"
    ]


def test_nodes_and_disks_are_enough_for_a_cluster() -> None:
    assert found(ceph()) == []


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ({"monitors": 1}, [("ceph-monitors", ".monitors")]),
        ({"monitors": 2}, [("ceph-monitors", ".monitors")]),
        ({"monitors": 4}, [("ceph-monitors", ".monitors")]),
        ({"monitors": 7}, [("ceph-monitors", ".monitors")]),
        ({"monitors": 5}, []),
    ],
)
def test_monitors_are_odd_at_least_three_and_each_on_a_node_of_its_own(
    section: dict[str, Any], wanted: list[tuple[str, str]]
) -> None:
    assert found(ceph(**section)) == wanted


def test_one_copy_is_refused_and_nobody_can_accept_it() -> None:
    section = ceph(filesystem={"replicas": 1})
    accepted = {
        "rule": "ceph-one-copy",
        "path": "site.storage.ceph.filesystem.replicas",
        "reason": "there is a backup on tape",
    }
    rules = [rule for rule, _ in found(section, accept=[accepted])]
    assert "ceph-one-copy" in rules
    assert found(ceph(filesystem={"replicas": 2})) == [("ceph-two-copies", ".filesystem.replicas")]


@pytest.mark.parametrize(
    ("nodes", "section", "wanted"),
    [
        ("st[1-3]", {"block": {"replicas": 4}}, [".block.replicas"]),
        ("st[1-3]", {"block": {"erasure": "2+1"}}, []),
        ("st[1-3]", {"block": {"erasure": "2+2"}}, [".block.erasure"]),
        ("st[1-5]", {"filesystem": {"erasure": "4+2"}}, [".filesystem.erasure"]),
        ("st[1-6]", {"filesystem": {"erasure": "4+2"}}, []),
        ("st[1-5]", {"objects": {"erasure": {"data": 4, "coding": 2}}}, [".objects.erasure"]),
        ("st[1-3]", {"block": {"enabled": False, "replicas": 4}}, []),
    ],
)
def test_every_copy_and_piece_needs_a_host_of_its_own(
    nodes: str, section: dict[str, Any], wanted: list[str]
) -> None:
    assert found(ceph(nodes=nodes, **section)) == [("ceph-too-few-hosts", one) for one in wanted]


def test_a_storage_node_belongs_to_a_pool_that_names_it() -> None:
    assert found(ceph(nodes="st[1-7]")) == [("ceph-node-unknown", ".nodes")]


def test_gpu_nodes_store_data_only_where_the_site_says_so() -> None:
    assert found(ceph(nodes="st[1-3],train01")) == [("ceph-on-gpu-nodes", ".nodes")]
    assert found(ceph(nodes="st[1-3],train01", on_gpu_nodes=True)) == []


@pytest.mark.parametrize(
    "device", ["/dev/sdb", "sdb", "/dev/disk/by-path/pci-1", "/dev/disk/by-id/"]
)
def test_a_disk_goes_by_a_name_that_stays_with_it(device: str) -> None:
    assert found(ceph(devices=[*DISKS, device])) == [("ceph-device-path", ".devices[2]")]


def test_a_disk_is_listed_once_wherever_it_stands() -> None:
    hosts = {"st1": {"devices": ["/dev/disk/by-id/nvme-z", DISKS[0]]}}
    assert found(ceph(hosts=hosts)) == [("ceph-device-twice", ".hosts.st1.devices[1]")]


def test_every_storage_node_has_disks_and_only_storage_nodes_do() -> None:
    hosts = {f"st{number}": {"devices": [f"/dev/disk/by-id/{number}"]} for number in range(1, 7)}
    assert found(ceph(devices=[], hosts=hosts)) == []
    del hosts["st4"]
    hosts["st7"] = {"devices": ["/dev/disk/by-id/7"]}
    assert found(ceph(devices=[], hosts=hosts)) == [
        ("ceph-no-devices", ".devices"),
        ("ceph-no-devices", ".hosts.st7"),
    ]


@pytest.mark.parametrize(("memory", "refused"), [("2047Mi", True), ("2Gi", False), ("8Gi", False)])
def test_a_disks_daemon_has_the_memory_it_cannot_do_without(memory: str, *, refused: bool) -> None:
    wanted = [("ceph-osd-memory", ".osd_memory")] if refused else []
    assert found(ceph(osd_memory=memory)) == wanted


def test_a_cluster_that_offers_nothing_is_refused() -> None:
    off = {"enabled": False}
    assert found(ceph(block=off, filesystem=off)) == [("ceph-offers-nothing", "")]
    assert found(ceph(block=off, filesystem=off, objects={})) == []


def test_disks_are_wiped_only_where_every_one_is_named_and_the_data_given_up() -> None:
    assert found(ceph(wipe=DISKS), teardown=GIVEN_UP) == []
    assert found(ceph(wipe=DISKS)) == [("ceph-wipe-unconfirmed", ".wipe")]
    assert found(ceph(wipe=DISKS[:1]), teardown=GIVEN_UP) == [("ceph-wipe-unconfirmed", ".wipe")]
    strange = [*DISKS, "/dev/disk/by-id/of-somebody-else"]
    assert found(ceph(wipe=strange), teardown=GIVEN_UP) == [("ceph-wipe-unconfirmed", ".wipe")]


@pytest.mark.parametrize(
    ("erasure", "rule"),
    [("4x2", "malformed"), (3, "malformed"), ("1+1", "out-of-range"), ("4+0", "out-of-range")],
)
def test_erasure_coding_is_data_and_coding_pieces(erasure: object, rule: str) -> None:
    (fault,) = misshapen(storage={"ceph": ceph(block={"erasure": erasure})})
    assert (fault.rule, fault.path) == (rule, "site.storage.ceph.block.erasure")


def test_a_storage_node_named_twice_is_told() -> None:
    (fault,) = misshapen(storage={"ceph": ceph(nodes="st[1-3],st2")})
    assert "st2 comes twice" in fault.message


@pytest.mark.parametrize("key", ["crds", "failure_domain", "external", "toolbox", "dashboard"])
def test_what_ceph_does_not_offer_yet_is_refused_by_name(key: str) -> None:
    (fault,) = misshapen(storage={"ceph": ceph(**{key: True})})
    assert (fault.rule, fault.path) == ("not-offered", f"site.storage.ceph.{key}")
