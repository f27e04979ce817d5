from __future__ import annotations

from typing import Any

import pytest
from component_cases import provider_options
from graph_sites import STORAGE, Changes, site
from recorded_graph import Graph, Registered, record

from pulumi_gpu_cluster import CephStorage, GpuCluster
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations

RELEASE = "kubernetes:helm.sh/v3:Release"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
TAINTS = [{"key": "team", "value": "ml"}, {"key": "solo", "effect": "NoExecute"}]
KINDS = (
    "CephCluster",
    "CephBlockPool",
    "CephFilesystem",
    "CephFilesystemSubVolumeGroup",
    "CephObjectStore",
)


def _site(changes: Changes | None = None) -> Any:
    return site({("storage",): STORAGE, ("node_pools", 2, "nodes"): "st[1-6]", **(changes or {})})


def _graph(changes: Changes | None = None, **keywords: Any) -> Graph:
    one = _site(changes)
    return record(
        lambda: CephStorage(
            "ceph",
            one.storage.ceph,
            pools=one.node_pools,
            opts=provider_options("ceph"),
            **keywords,
        )
    )


def _kind(graph: Graph, kind: str) -> Registered:
    return graph.of(f"kubernetes:ceph.rook.io/v1:{kind}")[0]


def _spec(graph: Graph, kind: str = "CephCluster") -> Any:
    return _kind(graph, kind).props["spec"]


def test_rook_comes_first_then_the_drivers_then_the_cluster_then_what_it_offers() -> None:
    graph = _graph()
    rook, drivers = graph.named("ceph-release", RELEASE), graph.named("ceph-drivers", RELEASE)
    cluster = _kind(graph, "CephCluster")
    assert graph.waits_for(rook, graph.named("ceph-namespace", "kubernetes:core/v1:Namespace"))
    assert graph.waits_for(drivers, rook)
    assert graph.waits_for(cluster, drivers)
    for kind in KINDS[1:]:
        assert graph.waits_for(_kind(graph, kind), cluster)
    made_of = {
        "ceph-block-class": "CephBlockPool",
        "ceph-files-class": "CephFilesystemSubVolumeGroup",
        "ceph-objects-class": "CephObjectStore",
    }
    for name, kind in made_of.items():
        assert graph.waits_for(graph.named(name, CLASS), _kind(graph, kind)), (
            "on the way back classes go first, and Rook last"
        )
    assert graph.waits_for(
        _kind(graph, "CephFilesystemSubVolumeGroup"), _kind(graph, "CephFilesystem")
    )


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_of_ceph_comes_later_waits_until_rook_calls_it_ready(kind: str) -> None:
    metadata = _kind(_graph(), kind).props["metadata"]
    assert metadata["annotations"] == {"pulumi.com/waitFor": "jsonpath={.status.phase}=Ready"}


def test_neither_rook_nor_anything_that_holds_data_goes_by_dropping_it() -> None:
    graph = _graph()
    for one in graph.resources:
        kept = one.custom and one.type != CLASS and "providers" not in one.type
        assert (one.protect, one.retain) == (kept, kept), one.urn


def test_a_site_that_gives_up_its_data_lets_all_of_it_go() -> None:
    graph = _graph(expendable=True)
    assert not [one.urn for one in graph.resources if one.protect or one.retain]


def test_only_named_disks_of_named_nodes_are_taken() -> None:
    hosts = {"st6": {"devices": ["/dev/disk/by-id/nvme-z"]}}
    storage = _spec(_graph({("storage", "ceph", "hosts"): hosts}))["storage"]
    assert (storage["useAllNodes"], storage["useAllDevices"]) == (False, False)
    assert [node["name"] for node in storage["nodes"]] == [f"st{number}" for number in range(1, 7)]
    assert storage["nodes"][0]["devices"] == [
        {"name": "/dev/disk/by-id/nvme-a"},
        {"name": "/dev/disk/by-id/nvme-b"},
    ]
    assert storage["nodes"][5]["devices"] == [{"name": "/dev/disk/by-id/nvme-z"}]


def test_no_disk_is_wiped_unless_every_one_is_named_for_it() -> None:
    assert _spec(_graph())["cleanupPolicy"]["confirmation"] == ""
    assert _spec(_graph(expendable=True))["cleanupPolicy"]["confirmation"] == "", (
        "Rook stops keeping a cluster as soon as it is told to destroy it"
    )
    wipe: Changes = {("storage", "ceph", "wipe"): STORAGE["ceph"]["devices"]}
    policy = _spec(_graph(wipe))["cleanupPolicy"]
    assert policy == {
        "confirmation": "yes-really-destroy-data",
        "allowUninstallWithVolumes": False,
    }


def test_daemons_run_on_the_storage_nodes_alone_past_their_taints() -> None:
    placement = _spec(_graph({("node_pools", 2, "taints"): TAINTS}))["placement"]["all"]
    (term,) = placement["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"][0]["values"] == [f"st{number}" for number in range(1, 7)]
    assert {"key": "solo", "operator": "Exists", "effect": "NoExecute"} in placement["tolerations"]


def test_monitors_and_managers_never_share_a_node() -> None:
    spec = _spec(_graph({("storage", "ceph", "monitors"): 5}))
    assert spec["mon"] == {"count": 5, "allowMultiplePerNode": False}
    assert spec["mgr"] == {"count": 2, "allowMultiplePerNode": False}
    assert spec["dashboard"] == {"enabled": False}


def test_each_csi_driver_tolerates_every_taint_of_every_pool_itself() -> None:
    changes: Changes = {("node_pools", 1, "taints"): TAINTS}
    values = _graph(changes).named("ceph-drivers", RELEASE).props["values"]
    wanted = agent_tolerations(_site(changes).node_pools)
    assert {"key": "team", "operator": "Equal", "value": "ml", "effect": "NoSchedule"} in wanted
    for kind in ("rbd", "cephfs"):
        driver = values["drivers"][kind]
        assert driver["nodePlugin"]["tolerations"] == wanted, (
            "an empty list on the driver beats the operator's default"
        )
        assert driver["name"] == f"rook-ceph.{kind}.csi.ceph.com"
        assert driver["snapshotPolicy"] == "none"
    assert values["drivers"]["nfs"] == values["drivers"]["nvmeof"] == {"enabled": False}


def test_rooks_crds_are_its_charts_and_nobody_can_switch_them_off() -> None:
    release = _graph().named("ceph-release", RELEASE)
    assert release.props["values"]["crds"] == {"enabled": True}
    assert release.props["postrender"] == "gpu-cluster-keep-crds"


def test_every_copy_and_piece_lies_on_another_host() -> None:
    graph = _graph()
    copies = {
        "failureDomain": "host",
        "replicated": {"size": 3, "requireSafeReplicaSize": True},
    }
    pieces = {"failureDomain": "host", "erasureCoded": {"dataChunks": 4, "codingChunks": 2}}
    assert _spec(graph, "CephBlockPool") == copies
    files = _spec(graph, "CephFilesystem")
    assert files["metadataPool"] == copies
    assert files["dataPools"] == [{"name": "default", **copies}, {"name": "data", **pieces}]
    assert files["preserveFilesystemOnDelete"] is True
    store = _spec(graph, "CephObjectStore")
    assert (store["metadataPool"], store["dataPool"]) == (copies, copies)
    assert store["preservePoolsOnDelete"] is True


def test_block_devices_cut_into_pieces_keep_their_metadata_in_whole_copies() -> None:
    graph = _graph({("storage", "ceph", "block"): {"erasure": "2+1"}})
    pools = {
        one.props["metadata"]["name"]: one.props["spec"]
        for one in graph.of("kubernetes:ceph.rook.io/v1:CephBlockPool")
    }
    assert "replicated" in pools["block"]
    assert pools["block-data"]["erasureCoded"] == {"dataChunks": 2, "codingChunks": 1}
    made = graph.named("ceph-block-class", CLASS)
    assert made.props["parameters"]["pool"] == "block"
    assert made.props["parameters"]["dataPool"] == "block-data"
    for pool in graph.of("kubernetes:ceph.rook.io/v1:CephBlockPool"):
        assert graph.waits_for(made, pool)


def test_a_volume_stays_when_its_claim_goes_and_one_class_at_most_is_the_default() -> None:
    graph = _graph(default_class="ceph-filesystem")
    classes = {one.props["metadata"]["name"]: one.props for one in graph.of(CLASS)}
    assert set(classes) == {"ceph-block", "ceph-filesystem", "ceph-bucket"}
    assert {one["reclaimPolicy"] for one in classes.values()} == {"Retain"}
    marked = [name for name, one in classes.items() if one["metadata"].get("annotations")]
    assert marked == ["ceph-filesystem"]


def test_classes_name_the_pools_and_accounts_that_rook_makes() -> None:
    classes = {one.props["metadata"]["name"]: one.props for one in _graph().of(CLASS)}
    files = classes["ceph-filesystem"]
    assert files["provisioner"] == "rook-ceph.cephfs.csi.ceph.com"
    assert (files["parameters"]["fsName"], files["parameters"]["pool"]) == ("files", "files-data")
    secret = "csi.storage.k8s.io/node-stage-secret-name"  # noqa: S105 - the name of a key
    assert files["parameters"][secret] == "rook-csi-cephfs-node"
    assert classes["ceph-block"]["parameters"]["csi.storage.k8s.io/fstype"] == "ext4"
    assert classes["ceph-bucket"]["provisioner"] == "rook-ceph.ceph.rook.io/bucket"


def test_what_a_site_switches_off_is_not_made() -> None:
    graph = _graph(
        {
            ("storage", "ceph", "block"): {"enabled": False},
            ("storage", "ceph", "objects"): None,
        }
    )
    assert [one.props["metadata"]["name"] for one in graph.of(CLASS)] == ["ceph-filesystem"]


@pytest.mark.parametrize(
    ("encryption", "disks", "traffic"),
    [({}, "false", False), ({"disks": True, "traffic": True}, "true", True)],
)
def test_encryption_is_what_the_site_says(
    encryption: dict[str, bool], disks: str, *, traffic: bool
) -> None:
    spec = _spec(_graph({("storage", "ceph", "encryption"): encryption}))
    assert spec["storage"]["config"] == {"encryptedDevice": disks}
    assert spec["network"]["connections"] == {
        "encryption": {"enabled": traffic},
        "requireMsgr2": traffic,
    }


def test_ceph_talks_over_the_nodes_network_only_where_the_site_says_so() -> None:
    assert "provider" not in _spec(_graph())["network"]
    host = _graph({("storage", "ceph", "network"): "host"})
    assert _spec(host)["network"]["provider"] == "host"


def test_tenants_claims_go_before_the_storage_that_serves_them() -> None:
    graph = record(lambda: GpuCluster("c", _site()))
    tenants = graph.of("gpu-cluster:tenancy:Tenant")
    assert tenants
    for one in tenants:
        for made in graph.of(CLASS):
            assert graph.waits_for(one, made)
