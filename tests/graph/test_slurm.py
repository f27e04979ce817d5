"""Slurm's objects: in which order they come, what they hold, and what outlives them."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address, ip_network
from itertools import pairwise
from typing import Any

import pytest
from graph_sites import SLURM, Changes, site
from recorded_graph import Graph, Registered, is_secret, plain_texts, record

from pulumi_gpu_cluster import GpuCluster

RELEASE = "kubernetes:helm.sh/v3:Release"
JOB = "kubernetes:batch/v1:Job"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
SLINKY = "kubernetes:slinky.slurm.net/v1beta1"
MARIADB = "kubernetes:k8s.mariadb.com/v1alpha1:MariaDB"
NAMESPACE = "kubernetes:core/v1:Namespace"


@cache
def _plain() -> Graph:
    return record(lambda: GpuCluster("c", site(SLURM)))


def _graph(changes: Changes | None = None) -> Graph:
    if not changes:
        return _plain()
    return record(lambda: GpuCluster("c", site({**SLURM, **changes})))


def _slinky(graph: Graph, kind: str) -> Registered:
    (found,) = graph.of(f"{SLINKY}:{kind}")
    return found


def _lines(graph: Graph) -> list[str]:
    settings: str = _slinky(graph, "Controller").props["spec"]["extraConf"]
    return settings.splitlines()


def _job(graph: Graph, name: str) -> Registered:
    return graph.named(f"c-slurm-{name}", JOB)


def _list(graph: Graph) -> list[str]:
    config = graph.named("c-slurm-accounts-list", "kubernetes:core/v1:ConfigMap")
    text: str = config.props["data"]["list"]
    return text.splitlines()


def test_the_controller_starts_once_slurmdbd_has_answered_and_knows_the_cluster() -> None:
    graph = _graph()
    order = [
        graph.named("c-slurm-database", MARIADB),
        _slinky(graph, "Accounting"),
        _job(graph, "registered"),
        _slinky(graph, "Controller"),
        _slinky(graph, "NodeSet"),
    ]
    for before, after in pairwise(order):
        assert graph.waits_for(after, before), f"{after.name} before {before.name}"
    assert graph.waits_for(_job(graph, "accounts"), _slinky(graph, "Controller"))


def test_only_the_database_is_waited_for_by_a_condition() -> None:
    """The operator gives its own objects none, so waiting for one would never end."""
    graph = _graph()
    waited = {
        one.props["kind"]: one.props["metadata"]["annotations"]["pulumi.com/waitFor"]
        for one in graph.resources
        if "pulumi.com/waitFor" in (one.props.get("metadata") or {}).get("annotations", {})
    }
    assert waited == {"MariaDB": "condition=Ready"}


def test_operators_come_before_what_they_run_and_certificates_before_webhooks() -> None:
    graph = _graph()
    operator = graph.named("c-slurm-operator-release", RELEASE)
    assert graph.waits_for(operator, graph.named("c-cert-manager-release", RELEASE))
    assert graph.waits_for(_slinky(graph, "Accounting"), operator)
    store = graph.named("c-slurm-database", MARIADB)
    assert graph.waits_for(store, graph.named("c-mariadb-operator-release", RELEASE))
    assert graph.waits_for(store, graph.named("c-slurm-database-passwords", SECRET))


def test_a_cluster_that_has_cert_manager_gets_no_second_one() -> None:
    graph = _graph({("certificates",): {"manager": "existing"}})
    assert not graph.of("gpu-cluster:certificates:CertManager")


def test_a_nodes_line_names_its_gpus_and_its_pod_takes_them_all() -> None:
    spec = _slinky(_graph(), "NodeSet").props["spec"]
    assert spec["extraConf"] == "Gres=gpu:h100:8"
    assert spec["scalingMode"] == "DaemonSet"
    assert spec["workloadDisruptionProtection"] is True
    resources = spec["slurmd"]["resources"]
    assert resources["limits"] == {"cpu": "192", "memory": "1710Gi", "nvidia.com/gpu": "8"}
    assert resources["requests"] == {"cpu": "188", "memory": "1710Gi", "nvidia.com/gpu": "8"}


def test_slurmd_runs_on_its_pool_past_its_taints_and_not_past_the_gate() -> None:
    spec = _slinky(_graph(), "NodeSet").props["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"gpu-cluster.io/pool": "train"}
    keys = {one["key"] for one in spec["tolerations"]}
    assert keys == {"nvidia.com/gpu", "gpu-cluster.io/workload"}, "no gate is passed by tolerating"


def test_nodes_of_slurm_are_labelled_and_tainted_so_that_other_pods_keep_off() -> None:
    graph = _graph()
    node = graph.named("c-gpu01", "kubernetes:core/v1:NodePatch")
    assert node.props["metadata"]["labels"]["gpu-cluster.io/workload"] == "slurm"
    taints = graph.named("c-gpu01-taints", "command:local:Command")
    assert '"gpu-cluster.io/workload"' in taints.props["environment"]["GPU_CLUSTER_TAINTS"]


def test_a_partition_says_how_long_jobs_may_take_and_whose_they_may_be() -> None:
    (partition,) = [line for line in _lines(_graph()) if line.startswith("PartitionName=")]
    assert partition == (
        "PartitionName=long Nodes=train Default=YES MaxTime=2-00:00:00 DefaultTime=0-01:00:00 "
        "DefMemPerCPU=9120 AllowAccounts=root,ml State=UP"
    )


def test_limits_are_enforced_and_gpus_counted() -> None:
    lines = _lines(_graph())
    assert "AccountingStorageEnforce=associations,limits,qos,safe" in lines
    assert "GresTypes=gpu" in lines
    assert "AccountingStorageTRES=gres/gpu,gres/gpu:h100" in lines
    assert not [line for line in lines if line.startswith("MaxNodeCount=")]


def test_more_nodes_than_the_operator_thinks_of_are_let_in() -> None:
    assert "MaxNodeCount=1500" in _lines(_graph({("node_pools", 0, "nodes"): "gpu[0001-1500]"}))


def test_jobs_are_held_to_their_cores_devices_and_memory() -> None:
    graph = _graph()
    config = graph.named("c-slurm-files", "kubernetes:core/v1:ConfigMap")
    cgroup = config.props["data"]["cgroup.conf"].splitlines()
    assert {"ConstrainCores=yes", "ConstrainDevices=yes", "ConstrainRAMSpace=yes"} <= set(cgroup)
    refs = _slinky(graph, "Controller").props["spec"]["configFileRefs"]
    assert refs == [{"name": config.props["metadata"]["name"]}]
    assert not set(config.props["data"]) & {"slurm.conf", "slurmdbd.conf"}


def test_the_database_has_what_conversions_need() -> None:
    spec = _graph().named("c-slurm-database", MARIADB).props["spec"]
    assert "innodb_buffer_pool_size=4096M\n" in spec["myCnf"]
    assert "innodb_lock_wait_timeout=900\n" in spec["myCnf"]
    assert spec["resources"]["requests"]["memory"] == "6Gi"
    assert (spec["database"], spec["username"]) == ("slurm_acct_db", "slurm")


@pytest.mark.parametrize(
    ("teardown", "kept"), [(None, True), ({"data": "delete", "confirm": "lab"}, False)]
)
def test_the_database_and_its_namespace_stay_unless_data_is_given_up(
    teardown: Any, kept: object
) -> None:
    graph = _graph({("teardown",): teardown} if teardown else {})
    store = graph.named("c-slurm-database", MARIADB)
    passwords = graph.named("c-slurm-database-passwords", SECRET)
    for one in (store, passwords, graph.named("c-slurm-namespace", NAMESPACE)):
        assert (one.protect, one.retain) == (kept, kept), one.name
    policy = store.props["spec"]["storage"]["pvcRetentionPolicy"]["whenDeleted"]
    assert policy == ("Retain" if kept else "Delete")
    assert store.props["spec"]["cleanupPolicy"] == ("Skip" if kept else "Delete")


def test_keys_and_passwords_are_secrets_and_nowhere_in_the_open() -> None:
    graph = _graph()
    made = [one for one in graph.of(SECRET) if one.name.startswith("c-slurm-")]
    assert len(made) == 4
    for one in made:
        assert is_secret(one.wire["data"]), one.name
    for one in graph.resources:
        for text in plain_texts(one.wire):
            assert "planted" not in text, one.urn
            assert "cGxhbnRlZC" not in text, one.urn


def test_the_accounting_job_has_one_token_and_no_right_on_the_cluster() -> None:
    spec = _job(_graph(), "accounts").props["spec"]["template"]["spec"]
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    (container,) = spec["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    references = [one["valueFrom"] for one in container["env"] if "valueFrom" in one]
    assert references == [{"secretKeyRef": {"name": "slurm-accounting-token", "key": "SLURM_JWT"}}]
    assert [list(volume) for volume in spec["volumes"]] == [["configMap", "name"]]


def test_the_login_is_tried_before_slurmdbd_and_not_only_once_the_database_is_ready() -> None:
    graph = _graph()
    login, store = _job(graph, "database-login"), graph.named("c-slurm-database", MARIADB)
    assert graph.waits_for(_slinky(graph, "Accounting"), login)
    assert not graph.waits_for(login, store), "on a foreign volume it never becomes ready"
    (container,) = login.props["spec"]["template"]["spec"]["containers"]
    told = {one["name"]: one.get("valueFrom") for one in container["env"]}
    for variable, key in (("ROOT_PASSWORD", "root-password"), ("PASSWORD", "password")):
        reference = {"name": "slurm-database-passwords", "key": key}
        assert told[variable] == {"secretKeyRef": reference}


def test_another_quota_is_another_job_and_the_same_one_none() -> None:
    names = [
        _job(graph, "accounts").props["metadata"]["name"]
        for graph in (
            _graph(),
            _graph({("tenants", 0, "weight"): 60}),
            _graph({("tenants", 0, "weight"): 61}),
        )
    ]
    assert names[0] == names[1] != names[2]


def test_a_tenants_quota_becomes_an_account_with_its_ceiling_and_a_qos_with_its_guarantee() -> None:
    lines = _list(_graph())
    assert "qos|ml|Priority=1000|Preempt=borrow|GrpTRES=cpu=192,mem=1710G,gres/gpu=8" in lines
    assert (
        "account|ml|Fairshare=60|GrpTRES=cpu=288,mem=2565G,gres/gpu=12|GrpJobs=-1|GrpSubmit=-1"
        "|QOS=borrow,ml|DefaultQOS=ml"
    ) in lines
    assert "user|alice|ml" in lines
    assert "tres|gres/gpu:h100" in lines


@pytest.mark.parametrize("state", ["leaving", "removed"])
def test_a_tenant_that_goes_starts_no_more_jobs(state: str) -> None:
    changes: Changes = {("tenants", 0, "state"): state}
    if state == "removed":
        changes[("tenants", 0, "confirm")] = "ml"
    (account,) = [line for line in _list(_graph(changes)) if line.startswith("account|ml|")]
    assert "|GrpJobs=0|GrpSubmit=0|" in account


def test_gpus_of_slurm_are_in_no_queue_and_in_no_namespaces_quota() -> None:
    graph = _graph()
    quota = graph.named("c-ml-quota", "kubernetes:core/v1:ResourceQuota")
    assert quota.props["spec"]["hard"]["requests.nvidia.com/gpu"] == "0"
    flavors = graph.of("kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor")
    assert {one.props["metadata"]["name"] for one in flavors} == {"serve", "general"}
    for queue in graph.of("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue"):
        for group in queue.props["spec"]["resourceGroups"]:
            assert "train" not in {flavor["name"] for flavor in group["flavors"]}


def test_in_volcano_a_pool_of_slurms_has_no_queue_and_no_node_group() -> None:
    graph = _graph({("scheduler",): {"kind": "volcano"}})
    queues = graph.of("kubernetes:scheduling.volcano.sh/v1beta1:Queue")
    assert "ml.train" not in {one.props["metadata"]["name"] for one in queues}
    node = graph.named("c-gpu01", "kubernetes:core/v1:NodePatch")
    assert "volcano.sh/nodegroup-name" not in node.props["metadata"]["labels"]


def test_no_driver_upgrade_evicts_what_runs_under_slurm() -> None:
    drivers = {
        one.props["metadata"]["name"]: one.props["spec"]["upgradePolicy"]["autoUpgrade"]
        for one in _graph().of("kubernetes:nvidia.com/v1alpha1:NVIDIADriver")
    }
    assert drivers == {"train": False, "serve": True}


def test_a_site_without_slurm_has_nothing_of_it() -> None:
    graph = record(lambda: GpuCluster("c", site()))
    assert not [one for one in graph.resources if "slurm" in one.urn or "cert-manager" in one.urn]


def test_jobs_and_logins_reach_everything_but_what_a_cloud_tells_its_nodes() -> None:
    graph = _graph()
    policy = graph.named("c-slurm-no-metadata", "kubernetes:networking.k8s.io/v1:NetworkPolicy")
    spec = policy.props["spec"]
    (where,) = spec["podSelector"]["matchExpressions"]
    assert where["values"] == ["login", "slurmd"]
    assert spec["policyTypes"] == ["Egress"], "who may speak to them is not changed"
    (rule,) = spec["egress"]
    assert "ports" not in rule, "Slurm's ports between nodes are any"
    blocks = [peer["ipBlock"] for peer in rule["to"] if "ipBlock" in peer]
    assert _allowed(blocks, "192.0.2.10")
    assert _allowed(blocks, "2001:db8::1")
    assert _allowed(blocks, "169.254.20.10"), "the cache of DNS on each node"
    assert not _allowed(blocks, "169.254.169.254")
    assert not _allowed(blocks, "fd00:ec2::254")
    assert {"namespaceSelector": {}} in rule["to"], "pods are no addresses to Cilium"


def test_no_job_runs_before_its_way_to_the_metadata_is_shut() -> None:
    graph = _graph()
    policy = graph.named("c-slurm-no-metadata", "kubernetes:networking.k8s.io/v1:NetworkPolicy")
    for kind in ("NodeSet", "LoginSet"):
        assert graph.waits_for(_slinky(graph, kind), policy)


def _allowed(blocks: list[dict[str, Any]], text: str) -> bool:
    address = ip_address(text)
    return any(
        address in ip_network(block["cidr"])
        and not any(address in ip_network(hole) for hole in block.get("except", []))
        for block in blocks
    )
