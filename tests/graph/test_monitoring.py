"""What monitoring makes in a cluster."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from typing import Any

import pytest
import yaml
from graph_sites import SLURM, Changes, site
from recorded_graph import Graph, Registered, is_secret, plain_texts, record
from site_variants import VARIANTS

from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.catalog.dcgm_metrics import metrics_csv

RELEASE = "kubernetes:helm.sh/v3:Release"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type token
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
MONITOR = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
RULE = "kubernetes:monitoring.coreos.com/v1:PrometheusRule"


@cache
def _graph(variant: str = "monitoring") -> Graph:
    return record(lambda: GpuCluster("c", site(VARIANTS[variant])))


def _changed(changes: Changes) -> Graph:
    return record(lambda: GpuCluster("c", site({**VARIANTS["monitoring"], **changes})))


def _values(graph: Graph) -> Any:
    return graph.named("c-monitoring-release", RELEASE).props["values"]


def _opened(secret: Registered, key: str) -> str:
    return base64.b64decode(secret.props["data"]["value"][key]).decode()


def test_a_site_without_the_section_has_none_of_it() -> None:
    types = {resource.type for resource in _graph("kueue").resources}
    assert not types & {MONITOR, RULE, "gpu-cluster:monitoring:Monitoring"}


@pytest.mark.parametrize("kind", ["serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig"])
def test_prometheus_takes_monitors_and_rules_of_any_label(kind: str) -> None:
    spec = _values(_graph())["prometheus"]["prometheusSpec"]
    assert spec[f"{kind}SelectorNilUsesHelmValues"] is False


def test_metrics_are_kept_on_the_sites_disk_for_the_sites_time_and_never_fill_it() -> None:
    spec = _values(_graph())["prometheus"]["prometheusSpec"]
    assert spec["retention"] == "30d"
    assert spec["retentionSize"] == "174080MiB"
    claim = spec["storageSpec"]["volumeClaimTemplate"]["spec"]
    assert claim["storageClassName"] == "fast"
    assert claim["resources"]["requests"]["storage"] == "200Gi"
    bare = _values(_graph("monitoring of volcano"))["prometheus"]["prometheusSpec"]
    assert "storageSpec" not in bare
    assert bare["retentionSize"] == "20GiB"


def test_two_of_each_that_an_alert_depends_on_run() -> None:
    values = _values(_graph())
    assert values["prometheus"]["prometheusSpec"]["replicas"] == 2
    assert values["alertmanager"]["alertmanagerSpec"]["replicas"] == 2


def test_the_exporter_of_nodes_runs_on_every_node_whatever_its_taints() -> None:
    assert _values(_graph())["prometheus-node-exporter"]["tolerations"] == [{"operator": "Exists"}]


def test_parts_that_listen_on_loopback_only_are_no_targets_unless_the_site_says_so() -> None:
    parts = ("kubeControllerManager", "kubeEtcd", "kubeProxy", "kubeScheduler")
    assert [_values(_graph())[part]["enabled"] for part in parts] == [False] * 4
    watched = _values(_changed({("monitoring", "control_plane"): True}))
    assert [watched[part]["enabled"] for part in parts] == [True] * 4


def test_grafanas_password_is_the_sites_and_lies_in_a_secret_alone() -> None:
    graph = _graph()
    account = graph.named("c-monitoring-grafana-admin", SECRET)
    assert _opened(account, "admin-password") == "planted-password"
    assert _values(graph)["grafana"]["admin"] == {"existingSecret": "grafana-admin"}
    assert account.props["metadata"]["name"] == "grafana-admin"
    assert graph.waits_for(graph.named("c-monitoring-release", RELEASE), account)


def test_no_secret_of_the_section_leaves_its_secret() -> None:
    graph = _graph()
    planted = ("planted-password", "planted-hook")
    encoded = [base64.b64encode(text.encode()).decode() for text in planted]
    for resource in graph.resources:
        for text in plain_texts(resource.wire):
            assert not any(one in text for one in (*planted, *encoded)), resource.urn
    routes = graph.named("c-monitoring-alertmanager-routes", SECRET)
    assert is_secret(routes.wire["data"])
    assert "planted-hook" in _opened(routes, "alertmanager.yaml")


def test_alertmanager_reads_the_secret_that_is_there_before_it() -> None:
    graph = _graph()
    spec = _values(graph)["alertmanager"]["alertmanagerSpec"]
    routes = graph.named("c-monitoring-alertmanager-routes", SECRET)
    assert spec["useExistingSecret"] is True
    assert spec["configSecret"] == routes.props["metadata"]["name"]
    assert graph.waits_for(graph.named("c-monitoring-release", RELEASE), routes)
    config = yaml.safe_load(_opened(routes, "alertmanager.yaml"))
    assert config["route"]["routes"][0] == {"receiver": "oncall", "matchers": ['tenant = "ml"']}


def test_tenants_cannot_bring_dashboards() -> None:
    dashboards = _values(_graph())["grafana"]["sidecar"]["dashboards"]
    assert dashboards == {"searchNamespace": "monitoring"}


def test_every_alert_of_the_charts_own_that_ours_replaces_is_off() -> None:
    disabled = _values(_graph())["defaultRules"]["disabled"]
    assert disabled["KubeNodeNotReady"] is True


def test_gpus_are_read_by_one_monitor_and_each_knows_its_node() -> None:
    graph = _graph()
    monitor = graph.named("c-monitoring-target-nvidia-dcgm-exporter", MONITOR)
    (endpoint,) = monitor.props["spec"]["endpoints"]
    assert endpoint["relabelings"] == [
        {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    ]
    assert monitor.props["spec"]["namespaceSelector"] == {"matchNames": ["gpu-operator"]}
    exporter = graph.named("c-gpu-operator-release", RELEASE).props["values"]["dcgmExporter"]
    assert exporter["serviceMonitor"] == {"enabled": False}


def test_without_our_monitoring_the_operator_may_still_make_a_monitor_for_others() -> None:
    values = _graph("kueue").named("c-gpu-operator-release", RELEASE).props["values"]
    assert "serviceMonitor" not in values["dcgmExporter"]


def test_the_list_of_metrics_is_there_before_the_exporter_and_changes_its_name_with_it() -> None:
    graph = _graph()
    listed = graph.named("c-gpu-operator-metrics", CONFIG_MAP)
    release = graph.named("c-gpu-operator-release", RELEASE)
    name = listed.props["metadata"]["name"]
    assert listed.props["data"] == {"dcgm-metrics.csv": metrics_csv()}
    assert name.startswith("dcgm-metrics-")
    assert release.props["values"]["dcgmExporter"]["config"] == {"name": name}
    assert graph.waits_for(release, listed)


def test_without_the_exporter_there_is_neither_list_nor_monitor() -> None:
    graph = _changed({("gpu_operator",): {"dcgm_exporter": False}})
    assert ("kubernetes:core/v1:ConfigMap", "c-gpu-operator-metrics") not in graph.names()
    assert [one.props["metadata"]["name"] for one in graph.of(MONITOR)] == ["kueue"]


@pytest.mark.parametrize(
    ("variant", "target", "scheme"),
    [("monitoring", "kueue", "https"), ("monitoring of volcano", "volcano-scheduler", "http")],
)
def test_the_scheduler_that_is_there_is_watched(variant: str, target: str, scheme: str) -> None:
    monitor = _graph(variant).named(f"c-monitoring-target-{target}", MONITOR)
    (endpoint,) = monitor.props["spec"]["endpoints"]
    assert endpoint["scheme"] == scheme
    assert ("bearerTokenFile" in endpoint) == (scheme == "https")


def test_rules_monitors_and_dashboards_come_after_their_kinds() -> None:
    graph = _graph()
    release = graph.named("c-monitoring-release", RELEASE)
    rules = graph.of(RULE)
    assert {one.props["metadata"]["name"] for one in rules} == {
        "gpu-cluster-usage",
        "gpu-cluster-gpus",
        "gpu-cluster-cluster",
    }
    for one in (*rules, *graph.of(MONITOR)):
        assert graph.waits_for(one, release), one.urn


def test_dashboards_are_found_by_their_label() -> None:
    boards = [
        one
        for one in _graph().of(CONFIG_MAP)
        if one.props["metadata"].get("labels") == {"grafana_dashboard": "1"}
    ]
    titles = {json.loads(next(iter(one.props["data"].values())))["title"] for one in boards}
    assert titles == {"GPUs by node", "Queues", "Tenants"}


def test_kube_state_metrics_may_read_the_kinds_it_tells_of_and_no_secret() -> None:
    values = _values(_graph())["kube-state-metrics"]
    rules = values["rbac"]["extraRules"]
    assert {(rule["apiGroups"][0], rule["resources"][0]) for rule in rules} == {
        ("kueue.x-k8s.io", "clusterqueues"),
        ("kueue.x-k8s.io", "localqueues"),
        ("nvidia.com", "nvidiadrivers"),
    }
    assert all(rule["verbs"] == ["list", "watch"] for rule in rules)
    assert "secrets" in values["collectorsExclude"]
    assert values["metricLabelsAllowlist"] == ["nodes=[gpu-cluster.io/pool]"]


def test_nobody_outside_monitoring_asks_those_that_want_no_password() -> None:
    graph = _graph()
    policy = graph.named("c-monitoring-network", POLICY)
    spec = policy.props["spec"]
    (which,) = spec["podSelector"]["matchExpressions"]
    assert which["values"] == ["alertmanager", "kube-state-metrics", "prometheus"]
    assert spec["policyTypes"] == ["Ingress"], "what they read themselves stays open to them"
    assert spec["ingress"] == [{"from": [{"podSelector": {}}]}]
    assert graph.waits_for(graph.named("c-monitoring-release", RELEASE), policy)


def test_tenants_pods_are_read_at_one_port_and_by_prometheus_alone() -> None:
    graph = _graph()
    (monitor,) = graph.of("kubernetes:monitoring.coreos.com/v1:PodMonitor")
    assert monitor.props["spec"]["namespaceSelector"] == {"matchNames": ["ml", "vision"]}
    assert monitor.props["spec"]["sampleLimit"] == 5000
    (endpoint,) = monitor.props["spec"]["podMetricsEndpoints"]
    assert (endpoint["port"], endpoint["honorLabels"]) == ("metrics", False)
    assert endpoint["followRedirects"] is False, "a pod would have Prometheus ask others for it"
    policy = graph.named("c-ml-network-metrics", POLICY).props["spec"]
    assert policy["podSelector"] == {"matchLabels": {"gpu-cluster.io/metrics": "true"}}
    (rule,) = policy["ingress"]
    assert rule["ports"] == [{"port": "metrics", "protocol": "TCP"}]
    (peer,) = rule["from"]
    assert peer["namespaceSelector"] == {
        "matchLabels": {"kubernetes.io/metadata.name": "monitoring"}
    }
    assert peer["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": "prometheus"}}


@pytest.mark.parametrize(
    ("metric", "taken"),
    [
        ("training_loss", True),
        ("vllm_requests_total", True),
        ("DCGM_FI_DEV_GPU_TEMP", False),
        ("gpu_cluster:tenant_gpus_busy:sum", False),
        ("gpu_cluster_queue_jobs", False),
        ("kube_node_info", False),
        ("namespace:anything:sum", False),
        ("ALERTS", False),
    ],
)
def test_a_tenants_pod_has_no_metrics_in_anothers_name(metric: str, taken: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    (monitor,) = _graph().of("kubernetes:monitoring.coreos.com/v1:PodMonitor")
    (dropped,) = monitor.props["spec"]["podMetricsEndpoints"][0]["metricRelabelings"]
    assert dropped["action"] == "drop"
    # Prometheus matches the whole name.
    assert (re.fullmatch(dropped["regex"], metric) is None) == taken


def test_tenants_stay_closed_to_prometheus_unless_the_site_says_so() -> None:
    graph = _graph("monitoring of volcano")
    assert not graph.of("kubernetes:monitoring.coreos.com/v1:PodMonitor")
    assert not [one for one in graph.of(POLICY) if one.name.endswith("-metrics")]


def test_slurms_controller_is_read_at_each_of_its_paths() -> None:
    graph = record(
        lambda: GpuCluster(
            "c", site({**VARIANTS["slurm"], ("monitoring",): VARIANTS["monitoring"]["monitoring",]})
        )
    )
    monitor = graph.named("c-monitoring-target-slurm-controller", MONITOR).props["spec"]
    assert monitor["namespaceSelector"] == {"matchNames": ["slurm"]}
    assert [one["path"] for one in monitor["endpoints"]] == [
        "/metrics/jobs",
        "/metrics/nodes",
        "/metrics/partitions",
        "/metrics/scheduler",
    ]
    assert {one["port"] for one in monitor["endpoints"]} == {"slurmctld"}


def test_cephs_manager_and_exporters_are_read_and_judged_where_the_site_has_ceph() -> None:
    graph = _changed({**VARIANTS["storage"], ("storage", "ceph", "namespace"): "ceph"})
    for app, port in (
        ("rook-ceph-mgr", "http-metrics"),
        ("rook-ceph-exporter", "ceph-exporter-http-metrics"),
    ):
        spec = graph.named(f"c-monitoring-target-{app}", MONITOR).props["spec"]
        assert spec["namespaceSelector"] == {"matchNames": ["ceph"]}
        assert spec["selector"] == {"matchLabels": {"app": app, "rook_cluster": "ceph"}}
        assert spec["jobLabel"] == "app"
        assert [endpoint["port"] for endpoint in spec["endpoints"]] == [port]
    assert "gpu-cluster-ceph" in {one.props["metadata"]["name"] for one in graph.of(RULE)}


def test_a_site_that_lists_no_storage_has_no_alert_that_ceph_is_silent() -> None:
    names = {one.props["metadata"]["name"] for one in _graph().of(RULE)}
    assert "gpu-cluster-ceph" not in names


def test_slurms_nodes_are_judged_by_what_their_pools_have() -> None:
    graph = _changed(SLURM)
    rules = graph.named("c-monitoring-gpu-cluster-slurm", RULE).props["spec"]["groups"][0]["rules"]
    recorded = [rule["expr"] for rule in rules if "record" in rule]
    assert len(recorded) == 1
    assert 'pool="train"' in recorded[0]
    assert recorded[0].endswith("* 8")


def test_where_pods_share_gpus_the_exporter_looks_whose_work_it_is() -> None:
    shared = _changed(
        {
            ("node_pools", 0, "sharing"): {"kind": "time-slicing", "replicas": 4},
            ("tenants", 0, "quota", "train"): {"gpu.shared": 8},
        }
    )
    for graph, looks in ((shared, True), (_graph(), False)):
        values = graph.named("c-gpu-operator-release", RELEASE).props["values"]["dcgmExporter"]
        assert values.get("hostPID", False) is looks
        assert values.get("enablePodUID", False) is looks
        told = {one["name"]: one["value"] for one in values.get("env", [])}
        expected = {
            "KUBERNETES_VIRTUAL_GPUS": "true",
            "NVIDIA_RESOURCE_NAMES": "nvidia.com/gpu.shared",
        }
        assert told == (expected if looks else {})
