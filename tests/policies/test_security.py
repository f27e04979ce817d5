"""Each case is a few resources and exactly what one rule about security says of them."""

from __future__ import annotations

from typing import Any

import pytest
from policy_stack import UNKNOWN_YET, faults, found, judged, manifest, release, resource, secret

from gpu_cluster_policies.secret_keys import is_secret_key
from gpu_cluster_policies.security.host import HOST_PATH, PRIVILEGED_POD
from gpu_cluster_policies.security.images import IMAGE_OUTSIDE_REGISTRIES, IMAGE_WITHOUT_TAG
from gpu_cluster_policies.security.isolation import (
    NAMESPACE_WITHOUT_POD_SECURITY,
    TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY,
)
from gpu_cluster_policies.security.plaintext import DEFAULT_PASSWORD, PLAINTEXT_SECRET
from gpu_cluster_policies.security.rights import (
    CLUSTER_ADMIN_TO_TENANTS,
    RIGHTS_WITH_WILDCARD,
    TENANT_MAY_WRITE_QUEUES,
)

RBAC = "rbac.authorization.k8s.io/v1:"


def binding(subject: dict[str, str], role: str = "cluster-admin", kind: str = "Cluster") -> Any:
    return manifest(
        f"{RBAC}{kind}RoleBinding",
        "b",
        namespace="" if kind else "team",
        roleRef={"kind": "ClusterRole", "name": role},
        subjects=[subject],
    )


@pytest.mark.parametrize(
    ("bound", "wrong"),
    [
        (binding({"kind": "Group", "name": "ops"}), None),
        (binding({"kind": "Group", "name": "system:masters"}), None),
        (binding({"kind": "Group", "name": "ml"}, role="view"), None),
        (binding({"kind": "ServiceAccount", "name": "a", "namespace": "kube-system"}), None),
        (binding({"kind": "Group", "name": "ml"}), "ClusterRoleBinding b: {} Group ml"),
        (binding({"kind": "User", "name": "eve"}), "ClusterRoleBinding b: {} User eve"),
        (binding({"kind": "Group", "name": "ml"}, kind=""), "RoleBinding team/b: {} Group ml"),
        (
            binding({"kind": "ServiceAccount", "name": "default"}, kind=""),
            "RoleBinding team/b: {} ServiceAccount team/default",
        ),
    ],
)
def test_only_named_administrators_hold_everything(bound: Any, wrong: str | None) -> None:
    expected = [wrong.format("gives cluster-admin to")] if wrong else []
    assert faults(CLUSTER_ADMIN_TO_TENANTS, [bound], {"adminGroups": ["ops"]}) == expected


def role(rule: dict[str, list[str]], kind: str = "Role", namespace: str = "team") -> Any:
    namespace = namespace if kind == "Role" else ""
    return manifest(f"{RBAC}{kind}", "r", namespace=namespace, rules=[rule])


READ_PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def test_a_wildcard_in_a_role_is_told() -> None:
    rule = RIGHTS_WITH_WILDCARD
    assert faults(rule, [role(READ_PODS), role(READ_PODS, "ClusterRole")]) == []
    assert faults(rule, [role({**READ_PODS, "verbs": ["*"]}, namespace="kube-system")]) == []
    assert faults(rule, [role({**READ_PODS, "verbs": ["*"]})]) == [
        "Role team/r: rules[0] has * in verbs"
    ]
    everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    assert faults(rule, [role(everything, "ClusterRole")]) == [
        "ClusterRole r: rules[0] has * in apiGroups, resources, verbs"
    ]


def test_a_tenants_role_that_writes_queues_is_told() -> None:
    rule = TENANT_MAY_WRITE_QUEUES
    queues = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["localqueues"]}
    assert faults(rule, [role({**queues, "verbs": ["get", "list"]})]) == []
    assert faults(rule, [role({**queues, "verbs": ["create"]}, "ClusterRole")]) == []
    assert faults(rule, [role({**queues, "verbs": ["create"]})]) == [
        "Role team/r: rules[0] lets a namespace write localqueues"
    ]
    workloads = {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["patch"]}
    assert faults(rule, [role(workloads)]) == [
        "Role team/r: rules[0] lets a namespace write workloads"
    ]


TENANT = {"gpu-cluster.io/tenant": "team"}
ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize(
    ("name", "labels", "wrong"),
    [
        ("team", {**TENANT, ENFORCE: "restricted"}, None),
        ("web", {ENFORCE: "baseline"}, None),
        ("gpu-operator", {ENFORCE: "privileged"}, None),
        ("kube-system", {}, None),
        ("web", {}, f"has no label {ENFORCE}"),
        ("gpu-operator", {}, f"has no label {ENFORCE}"),
        ("web", {ENFORCE: "strict"}, "enforces 'strict'"),
        ("web", {ENFORCE: "privileged"}, "lets every pod be privileged"),
        ("rook-ceph", {**TENANT, ENFORCE: "privileged"}, "lets every pod be privileged"),
    ],
)
def test_a_namespace_enforces_a_pod_security_level(
    name: str, labels: dict[str, str], wrong: str | None
) -> None:
    namespace = manifest("core/v1:Namespace", name, labels=labels)
    expected = [f"Namespace {name}: {wrong}"] if wrong else []
    assert faults(NAMESPACE_WITHOUT_POD_SECURITY, [namespace]) == expected


def wall(namespace: str = "team", **spec: Any) -> Any:
    spec = {"podSelector": {}, "policyTypes": ["Ingress"], **spec}
    kind = "networking.k8s.io/v1:NetworkPolicy"
    return manifest(kind, "wall", namespace=namespace, spec=spec)


def test_a_tenants_namespace_has_a_wall() -> None:
    rule = TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY
    tenant = manifest("core/v1:Namespace", "team", labels=TENANT)
    named: list[Any] = [{"from": [{"podSelector": {}}]}]
    assert faults(rule, [tenant, wall()]) == []
    assert faults(rule, [tenant, wall(ingress=named)]) == []
    assert faults(rule, [manifest("core/v1:Namespace", "web", labels={})]) == []
    wrong = ["Namespace team: no NetworkPolicy selects all of its pods for Ingress"]
    for stack in (
        [],
        [wall("other")],
        [wall(podSelector={"matchLabels": {"app": "a"}})],
        [wall(policyTypes=["Egress"])],
        [wall(ingress=[{}])],
    ):
        assert faults(rule, [tenant, *stack]) == wrong
    mine = manifest("core/v1:Namespace", "team", labels={"team": "a"})
    assert faults(rule, [mine], {"tenantSelector": {"team": "*"}}) == wrong


def test_labels_that_a_preview_does_not_know_are_judged_after_the_update() -> None:
    namespace = resource(
        "kubernetes:core/v1:Namespace", "team", {"metadata": {"name": "t", "labels": UNKNOWN_YET}}
    )
    for rule in (TENANT_NAMESPACE_WITHOUT_DEFAULT_DENY, NAMESPACE_WITHOUT_POD_SECURITY):
        violations, later = judged(rule, [namespace])
        assert not violations
        assert "not known yet" in later


@pytest.mark.parametrize(
    "values",
    [
        {"auth": {"existingSecret": "db", "passwordKey": "password"}},
        {"imagePullSecrets": [{"name": "regcred"}]},
        {"auth": {"password": secret("correct horse")}},
        {"auth": {"password": ""}},
        {"auth": {"createSecret": "yes", "secretName": "x", "tokenLifetime": "24h"}},
        {"auth": {"password": "${DB_PASSWORD}"}},
        {"serviceAccount": {"automountServiceAccountToken": "false"}},
        secret({"auth": {"password": "correct horse"}}),
    ],
)
def test_what_only_speaks_of_a_secret_passes(values: dict[str, Any]) -> None:
    assert faults(PLAINTEXT_SECRET, [release("db", values)]) == []


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"auth": {"password": "hush-1"}}, "values.auth.password holds a secret"),
        ({"a": [{"apiToken": "hush-1"}]}, "values.a[0].apiToken holds a secret"),
        ({"s3": {"secretAccessKey": "hush-1"}}, "values.s3.secretAccessKey holds a secret"),
        (
            {"tls": {"key": "-----BEGIN RSA PRIVATE KEY-----\nhush"}},
            "values.tls.key holds a private key",
        ),
        (
            {"url": "postgres://me:hush-1@db/x"},
            "values.url holds a password in an address",
        ),
        ({"aws": "AKIAABCDEFGHIJKLMNOP"}, "values.aws holds an access key of a cloud"),
    ],
)
def test_a_secret_that_lies_open_is_told_and_never_repeated(
    values: dict[str, Any], wrong: str
) -> None:
    messages = found(PLAINTEXT_SECRET, release("db", values))
    assert [one.partition("; fix")[0] for one in messages] == [
        f"Release db/db: {wrong} in plain text"
    ]
    assert "hush" not in str(messages)
    assert "AKIA" not in str(messages)


def config_map(**data: str) -> Any:
    return manifest("core/v1:ConfigMap", "c", namespace="team", data=data)


def test_a_secret_in_a_config_map_or_a_variable_is_told() -> None:
    rule = PLAINTEXT_SECRET
    fine = "[client]\nuser = slurm\npassword = ${DB}\n"
    assert faults(rule, [config_map(**{"my.cnf": fine, "hosts": "a,b"})]) == []
    assert faults(rule, [config_map(**{"my.cnf": "[client]\nuser = a\npassword = hush-1\n"})]) == [
        "ConfigMap team/c: data.my.cnf holds a secret in plain text, password"
    ]
    planted = {"token": "hush-1"}
    assert faults(rule, [config_map(**planted)]) == [
        "ConfigMap team/c: data.token holds a secret in plain text"
    ]
    container = {"name": "m", "env": [{"name": "DB_PASSWORD", "value": "hush-1"}]}
    pod = manifest("core/v1:Pod", "p", namespace="team", spec={"containers": [container]})
    assert faults(rule, [pod]) == [
        "Pod team/p: spec: variable DB_PASSWORD holds a secret in plain text"
    ]


def test_a_password_that_everybody_tries_first_is_told() -> None:
    rule = DEFAULT_PASSWORD
    own = {"grafana": {"admin": {"existingSecret": "grafana"}}}
    assert faults(rule, [release("kube-prometheus-stack", own)]) == []
    assert faults(rule, [release("kube-prometheus-stack", {"grafana": {"enabled": False}})]) == []
    marked = {"grafana": {"adminPassword": secret("prom-operator")}}
    assert faults(rule, [release("kube-prometheus-stack", marked)]) == []
    assert faults(rule, [release("harbor", {"harborAdminPassword": "correct horse"})]) == []
    assert faults(rule, [release("kube-prometheus-stack", name="kps")]) == [
        "Release kube-prometheus-stack/kps: values.grafana leaves the chart's own password in place"
    ]
    assert faults(rule, [release("harbor", {"harborAdminPassword": "Harbor12345"})]) == [
        "Release harbor/harbor: values.harborAdminPassword is a password that everybody tries first"
    ]
    assert faults(rule, [config_map(**{"admin-password": "changeme"})]) == [
        "ConfigMap team/c: data.admin-password is a password that everybody tries first"
    ]
    assert faults(PLAINTEXT_SECRET, [config_map(**{"admin-password": "changeme"})]) == [], (
        "one fault, one finding"
    )


def pod(spec: Any = None, namespace: Any = "team", **container: Any) -> Any:
    main = {"name": "main", "image": "nvcr.io/a/b:1", **container}
    template: dict[str, Any] = {"spec": {"containers": [main], **(spec or {})}}
    return manifest("apps/v1:Deployment", "d", namespace=namespace, spec={"template": template})


@pytest.mark.parametrize(
    ("image", "fixed"),
    [
        ("nvcr.io/nvidia/pytorch:25.10-py3", True),
        ("busybox@sha256:0000", True),
        ("registry.local:5000/a:1", True),
        ("busybox", False),
        ("nvcr.io/nvidia/pytorch:latest", False),
        ("registry.local:5000/a", False),
    ],
)
def test_an_image_names_its_version(image: str, fixed: bool) -> None:  # noqa: FBT001
    assert faults(IMAGE_WITHOUT_TAG, [pod(image=image)]) == (
        []
        if fixed
        else [f"Deployment team/d: container main has the image {image}, of no fixed version"]
    )


def test_images_in_values_are_judged_by_what_the_values_say() -> None:
    rule = IMAGE_WITHOUT_TAG
    pinned = {"image": {"repository": "nvcr.io/a", "tag": "1"}, "name": "web"}
    assert (
        faults(rule, [release("a", pinned), release("a", {"image": {"repository": "b/c"}})]) == []
    )
    assert faults(rule, [release("a", {"image": {"repository": "b/c", "tag": "latest"}})]) == [
        "Release a/a: values.image has the image b/c:latest, of no fixed version"
    ]
    assert faults(rule, [release("a", {"worker": {"image": "ghcr.io/b/c"}})]) == [
        "Release a/a: values.worker.image has the image ghcr.io/b/c, of no fixed version"
    ]


def test_an_image_that_a_preview_does_not_know_is_judged_after_the_update() -> None:
    assert judged(IMAGE_WITHOUT_TAG, [pod(image=UNKNOWN_YET)]) == (
        [],
        ("judged after the update:\n  Deployment team/d: image is not known yet"),
    )


def test_images_come_from_registries_that_are_allowed() -> None:
    rule, allowed = IMAGE_OUTSIDE_REGISTRIES, {"allowedRegistries": ["nvcr.io", "ghcr.io/ours"]}
    assert faults(rule, [pod(image="docker.io/a:1")]) == [], "without a list all are"
    assert faults(rule, [pod(), pod(image="ghcr.io/ours/a:1")], allowed) == []
    assert faults(rule, [pod(image="busybox:1")], allowed) == [
        "Deployment team/d: container main takes busybox:1 from docker.io"
    ]
    assert faults(rule, [pod(image="ghcr.io/theirs/a:1")], allowed) == [
        "Deployment team/d: container main takes ghcr.io/theirs/a:1 from ghcr.io"
    ]
    chart = release("a", {"image": {"registry": "quay.io", "repository": "b/c", "tag": "1"}})
    assert faults(rule, [chart], allowed) == [
        "Release a/a: values.image takes quay.io/b/c:1 from quay.io"
    ]


def test_a_path_of_the_host_is_told_outside_the_platforms_namespaces() -> None:
    host = {"volumes": [{"name": "root", "hostPath": {"path": "/"}}]}
    wrong = ["Deployment team/d: volume root is the host's /"]
    assert faults(HOST_PATH, [pod(), pod({"volumes": [{"name": "a", "emptyDir": {}}]})]) == []
    assert faults(HOST_PATH, [pod(host, namespace="gpu-operator")]) == []
    assert faults(HOST_PATH, [pod(host)]) == wrong
    assert faults(HOST_PATH, [pod(host, namespace="gpu-operator")], {"exemptNamespaces": []}) != []
    assert faults(
        HOST_PATH, [release("web", {"extraVolumes": [{"hostPath": {"path": "/x"}}]})]
    ) == ["Release web/web: values.extraVolumes[0].hostPath is the host's /x"]


def test_a_privileged_pod_is_told_outside_the_platforms_namespaces() -> None:
    rule, privileged = PRIVILEGED_POD, {"securityContext": {"privileged": True}}
    assert faults(rule, [pod(), pod(namespace="kube-system", **privileged)]) == []
    assert faults(rule, [pod(**privileged)]) == ["Deployment team/d: container main is privileged"]
    assert faults(rule, [pod({"hostNetwork": True})]) == [
        "Deployment team/d: its pods have hostNetwork"
    ]
    assert faults(rule, [release("web", {"a": privileged})]) == [
        "Release web/web: values.a.securityContext.privileged is true"
    ]


def test_what_the_configuration_exempts_is_left_alone() -> None:
    exempt = {"exempt": [{"resource": "d*", "reason": "tunes the kernel"}]}
    assert faults(PRIVILEGED_POD, [pod({"hostPID": True})], exempt) == []
    exempt = {"exempt": [{"resource": "e*", "reason": "another"}]}
    assert len(faults(PRIVILEGED_POD, [pod({"hostPID": True})], exempt)) == 1


@pytest.mark.parametrize(
    ("key", "holds"),
    [
        ("password", True),
        ("DB_PASSWORD", True),
        ("clientSecret", True),
        ("client-secret", True),
        ("api_key", True),
        ("configSecret", False),
        ("existingSecret", False),
        ("imagePullSecret", False),
        ("automountServiceAccountToken", False),
        ("tokens", False),
        ("passwordKey", False),
        ("secretName", False),
    ],
)
def test_a_key_that_holds_a_secret_is_told_from_one_that_names_it(
    key: str,
    holds: bool,  # noqa: FBT001
) -> None:
    assert is_secret_key(key) is holds
