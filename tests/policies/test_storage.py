"""Each case is one resource and exactly what one rule about storage says of it."""

from __future__ import annotations

from typing import Any

import pytest
from policy_stack import faults, manifest, release

from gpu_cluster_policies.storage.ceph import (
    CEPH_MON_COUNT,
    CEPH_MONS_ON_ONE_HOST,
    CEPH_POOL_SIZE_ONE,
    CEPH_USES_ALL_DEVICES,
)
from gpu_cluster_policies.storage.classes import DATA_CLASS_DELETES

CHART = "rook-ceph-cluster"


def ceph(**spec: Any) -> Any:
    return manifest("ceph.rook.io/v1:CephCluster", "rook", namespace="rook-ceph", spec=spec)


def chart(**spec: Any) -> Any:
    return release(CHART, {"cephClusterSpec": spec}, namespace="rook-ceph")


@pytest.mark.parametrize(("count", "wrong"), [(3, 0), (5, 0), (1, 1), (2, 1), (4, 1)])
def test_ceph_has_an_odd_number_of_monitors(count: int, wrong: int) -> None:
    assert faults(CEPH_MON_COUNT, [ceph(mon={"count": count})]) == (
        [f"CephCluster rook-ceph/rook: spec.mon.count is {count}"] * wrong
    )
    assert faults(CEPH_MON_COUNT, [chart(mon={"count": count})]) == (
        [f"Release rook-ceph/rook-ceph-cluster: values.cephClusterSpec.mon.count is {count}"]
        * wrong
    )


def test_monitors_do_not_share_a_host() -> None:
    rule = CEPH_MONS_ON_ONE_HOST
    apart = {"mon": {"count": 3, "allowMultiplePerNode": False}}
    together = {"mon": {"count": 3, "allowMultiplePerNode": True}}
    assert faults(rule, [ceph(**apart), ceph()]) == []
    assert faults(rule, [ceph(**together)]) == [
        "CephCluster rook-ceph/rook: spec.mon.allowMultiplePerNode lets monitors share a host"
    ]
    assert len(faults(rule, [chart(**together)])) == 1


def test_ceph_takes_only_disks_that_are_named() -> None:
    rule = CEPH_USES_ALL_DEVICES
    named = {"storage": {"useAllDevices": False}}
    assert faults(rule, [ceph(**named), chart(**named), ceph(), release("other")]) == []
    assert faults(rule, [ceph(storage={"useAllDevices": True})]) == [
        "CephCluster rook-ceph/rook: spec.storage.useAllDevices is true"
    ]
    assert faults(rule, [chart()]) == [
        (
            "Release rook-ceph/rook-ceph-cluster: values.cephClusterSpec.storage.useAllDevices is "
            "left to the chart, and so true"
        )
    ]


def test_one_copy_is_told_wherever_it_stands() -> None:
    rule = CEPH_POOL_SIZE_ONE
    one, three = {"replicated": {"size": 1}}, {"replicated": {"size": 3}}
    api = "ceph.rook.io/v1:"
    assert faults(rule, [manifest(f"{api}CephBlockPool", "p", spec=three)]) == []
    coded = {"metadataPool": three, "dataPools": [{"erasureCoded": {"dataChunks": 4}}]}
    assert faults(rule, [manifest(f"{api}CephFilesystem", "f", spec=coded)]) == []
    assert faults(rule, [manifest(f"{api}CephBlockPool", "p", spec=one)]) == [
        "CephBlockPool p: spec.replicated.size is 1"
    ]
    mixed = {"metadataPool": three, "dataPools": [three, one]}
    assert faults(rule, [manifest(f"{api}CephFilesystem", "f", spec=mixed)]) == [
        "CephFilesystem f: spec.dataPools[1].replicated.size is 1"
    ]
    values = {"cephBlockPools": [{"name": "a", "spec": one}]}
    assert faults(rule, [release(CHART, values, namespace="rook-ceph")]) == [
        "Release rook-ceph/rook-ceph-cluster: values.cephBlockPools[0].spec.replicated.size is 1"
    ]


def storage_class(provisioner: Any = "rook-ceph.rbd.csi.ceph.com", **more: Any) -> Any:
    return manifest("storage.k8s.io/v1:StorageClass", "block", provisioner=provisioner, **more)


def test_volumes_of_shared_storage_outlive_their_claims() -> None:
    rule = DATA_CLASS_DELETES
    assert faults(rule, [storage_class(reclaimPolicy="Retain")]) == []
    assert faults(rule, [storage_class("rancher.io/local-path", reclaimPolicy="Delete")]) == []
    assert faults(rule, [storage_class()], {"scratchClasses": ["b*"]}) == []
    where = "StorageClass block: reclaimPolicy of the class block is"
    assert faults(rule, [storage_class(reclaimPolicy="Delete")]) == [f"{where} Delete"]
    assert faults(rule, [storage_class("beegfs.csi.netapp.com")]) == [
        f"{where} unset, and so Delete"
    ]
    made = {"enabled": True, "name": "ceph-block", "reclaimPolicy": "Delete"}
    values = {"cephBlockPools": [{"name": "a", "storageClass": made}]}
    assert faults(rule, [release(CHART, values, namespace="rook-ceph")]) == [
        "Release rook-ceph/rook-ceph-cluster: reclaimPolicy of the class ceph-block is Delete"
    ]
