"""Each case is a few resources and exactly what one rule about operations says of them."""

from __future__ import annotations

from typing import Any

import pytest
from policy_stack import PROVIDER, faults, manifest, release, resource, secret

from gpu_cluster_policies.operations.alerts import ALERTS_WITHOUT_ROUTE
from gpu_cluster_policies.operations.backups import DATABASE_WITHOUT_BACKUP, ETCD_WITHOUT_BACKUP
from gpu_cluster_policies.operations.changes import (
    DATA_WITHOUT_PROTECT,
    PROVIDER_WITHOUT_CLUSTER_IDENTIFIER,
    RELEASE_WITHOUT_VERSION,
)
from gpu_cluster_policies.operations.webhooks import WEBHOOK_FAILS_CLOSED_ON_SYSTEM
from pulumi_gpu_cluster.cluster_props import DATA, EXPENDABLE, GPU_CLUSTER_TYPE, KEPT

TENANT = {"gpu-cluster.io/tenant": "team"}


def test_what_holds_data_is_protected() -> None:
    rule = DATA_WITHOUT_PROTECT
    claim = "core/v1:PersistentVolumeClaim"
    assert faults(rule, [manifest(claim, "a", namespace="team", spec={}, protect=True)]) == []
    assert faults(rule, [manifest("core/v1:Namespace", "web", labels={})]) == []
    assert faults(rule, [manifest(claim, "a", namespace="team", spec={})]) == [
        "PersistentVolumeClaim team/a: holds data and is not protected"
    ]
    assert faults(rule, [manifest("core/v1:Namespace", "team", labels=TENANT)]) == [
        "Namespace team: is a tenant's, with all its data, and not protected"
    ]
    ceph = manifest("ceph.rook.io/v1:CephCluster", "c", namespace="rook-ceph", spec={})
    assert len(faults(rule, [ceph])) == 1


@pytest.mark.parametrize(("data", "told"), [(EXPENDABLE, 0), (KEPT, 1)])
def test_a_site_that_gives_up_its_data_protects_nothing(data: str, told: int) -> None:
    site = resource(GPU_CLUSTER_TYPE, "lab", {DATA: data})
    claim = resource(
        "kubernetes:core/v1:PersistentVolumeClaim", "a", {"metadata": {"name": "a"}}, parent=site
    )
    assert len(faults(DATA_WITHOUT_PROTECT, [site, claim])) == told


@pytest.mark.parametrize(("state", "told"), [("leaving", 0), ("active", 1)])
def test_a_tenant_that_leaves_is_unprotected_on_purpose(state: str, told: int) -> None:
    tenant = resource("gpu-cluster:tenancy:Tenant", "team", {"state": state})
    metadata = {"metadata": {"name": "team", "labels": TENANT}}
    home = resource("kubernetes:core/v1:Namespace", "team", metadata, parent=tenant)
    assert len(faults(DATA_WITHOUT_PROTECT, [tenant, home])) == told


def database() -> Any:
    return manifest("k8s.mariadb.com/v1alpha1:MariaDB", "db", namespace="slurm")


def test_a_database_is_backed_up() -> None:
    rule = DATABASE_WITHOUT_BACKUP
    backup = manifest(
        "k8s.mariadb.com/v1alpha1:Backup",
        "b",
        namespace="slurm",
        spec={"mariaDbRef": {"name": "db"}},
    )
    other = manifest(
        "k8s.mariadb.com/v1alpha1:Backup",
        "b",
        namespace="slurm",
        spec={"mariaDbRef": {"name": "x"}},
    )
    dump = {"jobTemplate": {"spec": {"command": ["sh", "-c", "mariadb-dump --all"]}}}
    job = manifest("batch/v1:CronJob", "j", namespace="slurm", spec=dump)
    elsewhere = manifest("batch/v1:CronJob", "j", namespace="web", spec=dump)
    wrong = ["MariaDB slurm/db: neither a Backup nor a CronJob with a dump is in the stack"]
    assert faults(rule, [database(), backup]) == []
    assert faults(rule, [database(), job]) == []
    assert faults(rule, [database()]) == wrong
    assert faults(rule, [database(), other, elsewhere]) == wrong


def command(text: str) -> Any:
    return resource("command:remote:Command", "cp", {"create": text})


def test_an_etcd_that_the_stack_builds_is_saved() -> None:
    rule = ETCD_WITHOUT_BACKUP
    wrong = ["Command cp: builds a control plane, and nothing in the stack saves its etcd"]
    assert faults(rule, [command("apt-get install -y kubeadm")]) == []
    assert (
        faults(rule, [command("kubeadm init --config a"), command("etcdctl snapshot save b")]) == []
    )
    assert faults(rule, [command("kubeadm init --config a")]) == wrong
    assert faults(rule, [command("kubeadm init phase upload-config all")]) == []
    assert faults(rule, [command("set -e\nkubeadm  init")]) == wrong


def monitoring(**alertmanager: Any) -> Any:
    return release("kube-prometheus-stack", {"alertmanager": alertmanager}, namespace="monitoring")


def test_alerts_reach_somebody() -> None:
    rule, where = ALERTS_WITHOUT_ROUTE, "Release monitoring/kube-prometheus-stack:"
    mail = {"receivers": [{"name": "null"}, {"name": "ops", "email_configs": [{"to": "a@b"}]}]}
    routes = manifest("monitoring.coreos.com/v1alpha1:AlertmanagerConfig", "r", namespace="m")
    for fine in (
        [monitoring(config=mail)],
        [monitoring(config=secret(mail))],
        [monitoring(alertmanagerSpec={"configSecret": "a"})],
        [monitoring(), routes],
        [release("prometheus-node-exporter")],
    ):
        assert faults(rule, fine) == []
    nobody = f"{where} its Alertmanager has no receiver that tells anybody"
    assert faults(rule, [monitoring()]) == [nobody]
    assert faults(rule, [monitoring(config={"receivers": [{"name": "null"}]})]) == [nobody]
    assert faults(rule, [monitoring(enabled=False)]) == [
        f"{where} has no Alertmanager and names no other"
    ]


def test_a_provider_says_which_cluster_it_is_for() -> None:
    rule = PROVIDER_WITHOUT_CLUSTER_IDENTIFIER
    assert faults(rule, [resource(PROVIDER, "p", {"clusterIdentifier": "lab"})]) == []
    assert faults(rule, [resource(PROVIDER, "p", {"renderYamlToDirectory": "out"})]) == []
    assert faults(rule, [resource(PROVIDER, "p", {"kubeconfig": secret("hush")})]) == [
        "kubernetes p: has no cluster_identifier"
    ]
    assert len(faults(rule, [resource(PROVIDER, "default_4_25_0", {"version": "4.25.0"})])) == 1


@pytest.mark.parametrize(
    ("chart", "version", "wrong"),
    [
        ("gpu-operator", "v26.7.0", None),
        ("./charts/mine", "", None),
        ("charts/mine-1.2.tgz", "", None),
        ("oci://registry.k8s.io/kueue/charts/kueue", "0.19.2", None),
        ("gpu-operator", "", "no version"),
        ("oci://registry.k8s.io/kueue/charts/kueue", "", "no version"),
        ("gpu-operator", "^26.0.0", "version ^26.0.0, which is a range"),
    ],
)
def test_a_release_names_its_charts_version(chart: str, version: str, wrong: str | None) -> None:
    made = release(chart, name="r", namespace="n", version=version)
    assert faults(RELEASE_WITHOUT_VERSION, [made]) == (
        [f"Release n/r: takes the chart {chart} with {wrong}"] if wrong else []
    )


def webhook(**more: Any) -> Any:
    rules = [{"apiGroups": [""], "resources": ["pods"], "operations": ["CREATE"]}]
    one = {"name": "w.example.org", "rules": rules, **more}
    kind = "admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration"
    return manifest(kind, "w", webhooks=[one])


NAME = "kubernetes.io/metadata.name"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"failurePolicy": "Ignore"}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, False),
        (
            {
                "namespaceSelector": {
                    "matchExpressions": [
                        {"key": NAME, "operator": "NotIn", "values": ["kube-system"]}
                    ]
                }
            },
            False,
        ),
        ({"objectSelector": {"matchLabels": {"a": "b"}}}, False),
        ({"rules": [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"]}]}, False),
        ({}, True),
        ({"failurePolicy": "Fail", "namespaceSelector": {}}, True),
        (
            {
                "namespaceSelector": {
                    "matchExpressions": [{"key": NAME, "operator": "NotIn", "values": ["web"]}]
                }
            },
            True,
        ),
        ({"rules": [{"apiGroups": ["*"], "resources": ["*"]}]}, True),
    ],
)
def test_a_webhook_cannot_stop_the_clusters_own_pods(
    settings: dict[str, Any], *, told: bool
) -> None:
    expected = (
        "ValidatingWebhookConfiguration w: w.example.org fails closed on objects of kube-system"
    )
    assert faults(WEBHOOK_FAILS_CLOSED_ON_SYSTEM, [webhook(**settings)]) == [expected] * told
