from __future__ import annotations

from typing import Any

import pytest
from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import Tenant, TenantGuard
from pulumi_gpu_cluster.quantity import canonical, value
from pulumi_gpu_cluster.scheduling.choice import Scheduler, queue_rights
from pulumi_gpu_cluster.tenancy.guard import RULES
from pulumi_gpu_cluster.tenancy.object_admission import OWN_WORK
from pulumi_gpu_cluster.tenancy.pod_admission import OWN_PODS
from pulumi_gpu_cluster.tenancy.shares import ceilings

NAMESPACE = "kubernetes:core/v1:Namespace"
ROLE = "kubernetes:rbac.authorization.k8s.io/v1:Role"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"
QUOTA = "kubernetes:core/v1:ResourceQuota"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"

HOLDS_THE_TENANT = {
    "resourcequotas",
    "limitranges",
    "networkpolicies",
    "localqueues",
    "workloads",
    "queues",
    "podgroups",
    "commands",
    "namespaces",
    "roles",
    "daemonsets",
    "poddisruptionbudgets",
}


def _graph(
    changes: Changes | None = None,
    *,
    index: int = 0,
    kind: Scheduler = "kueue",
    expendable: bool = False,
) -> Graph:
    one = site(changes)
    tenant = one.tenants[index]
    return record(
        lambda: Tenant(
            "t",
            tenant,
            ceilings=ceilings(one, tenant),
            queue_rights=queue_rights(kind),
            expendable=expendable,
            opts=provider_options("t"),
        )
    )


def _bindings(graph: Graph) -> dict[str, list[str]]:
    return {
        one.props["roleRef"]["name"]: [subject["name"] for subject in one.props["subjects"]]
        for one in graph.of(BINDING)
    }


def test_the_namespace_carries_the_tenants_label_and_forbids_privileged_pods() -> None:
    labels = _graph().named("t-namespace", NAMESPACE).props["metadata"]["labels"]
    assert labels["gpu-cluster.io/tenant"] == "ml"
    assert labels["pod-security.kubernetes.io/enforce"] == "baseline"


def test_the_namespace_with_its_data_survives_a_destroy() -> None:
    home = _graph().named("t-namespace", NAMESPACE)
    assert home.protect
    assert home.retain


@pytest.mark.parametrize(
    "graph",
    [
        lambda: _graph(expendable=True),
        lambda: _graph({("tenants", 0, "state"): "leaving"}),
    ],
    ids=["the site gives its data up", "the tenant is leaving"],
)
def test_the_namespace_can_go_only_when_somebody_said_so(graph: Any) -> None:
    home = graph().named("t-namespace", NAMESPACE)
    assert not home.protect
    assert not home.retain


def test_the_quota_is_the_ceiling_and_names_every_gpu_resource_of_the_site() -> None:
    hard = (
        _graph(index=1).named("t-quota", "kubernetes:core/v1:ResourceQuota").props["spec"]["hard"]
    )
    assert hard["requests.nvidia.com/mig-3g.40gb"] == "8"
    assert hard["requests.nvidia.com/gpu"] == "0", "what a quota does not name it does not limit"
    assert not [key for key in hard if key.startswith(("limits.nvidia", "nvidia"))]


def test_no_pod_of_a_tenant_has_the_priority_of_kubernetes_own() -> None:
    spec = _graph().named("t-quota-no-system-priority", QUOTA).props["spec"]
    assert spec["hard"] == {"pods": "0"}
    (scope,) = spec["scopeSelector"]["matchExpressions"]
    assert scope == {
        "scopeName": "PriorityClass",
        "operator": "In",
        "values": ["system-cluster-critical", "system-node-critical"],
    }


def test_no_pod_of_a_tenant_keeps_those_of_others_off_its_node() -> None:
    spec = _graph().named("t-quota-no-foreign-affinity", QUOTA).props["spec"]
    assert spec["hard"] == {"pods": "0"}
    (scope,) = spec["scopeSelector"]["matchExpressions"]
    assert scope == {"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}


@pytest.mark.parametrize("kind", ["kueue", "volcano"])
def test_whatever_a_member_may_create_is_counted(kind: Scheduler) -> None:
    graph = _graph(kind=kind)
    hard = graph.named("t-quota-objects", QUOTA).props["spec"]["hard"]
    rules = graph.named("t-member", ROLE).props["rules"]
    created = {
        f"count/{resource}.{rule['apiGroups'][0]}".rstrip(".")
        for rule in rules
        if "create" in rule["verbs"] and "." not in rule["apiGroups"][0]
        for resource in rule["resources"]
        if "/" not in resource
    }
    assert "count/secrets" in created
    assert all(0 < value(hard[name]) <= 5000 for name in created)


@pytest.mark.parametrize("kind", ["kueue", "volcano"])
def test_no_count_stands_in_the_way_of_jobs_whose_kind_has_just_come(kind: Scheduler) -> None:
    hard = _graph(kind=kind).named("t-quota-objects", QUOTA).props["spec"]["hard"]
    groups = {name.removeprefix("count/").partition(".")[2] for name in hard if "count/" in name}
    assert groups == {"", "apps", "batch"}


def test_counts_are_written_as_the_api_server_writes_them() -> None:
    hard = _graph().named("t-quota-objects", QUOTA).props["spec"]["hard"]
    assert {amount: canonical(amount) for amount in hard.values()} == {
        amount: amount for amount in hard.values()
    }


def test_no_service_opens_a_port_or_an_address_to_the_outside() -> None:
    hard = _graph().named("t-quota-objects", QUOTA).props["spec"]["hard"]
    assert hard["services.nodeports"] == hard["services.loadbalancers"] == "0"


def test_pods_that_state_no_cpu_or_memory_still_pass_the_quota() -> None:
    graph = _graph()
    limits = graph.named("t-defaults", "kubernetes:core/v1:LimitRange").props["spec"]["limits"]
    hard = graph.named("t-quota", "kubernetes:core/v1:ResourceQuota").props["spec"]["hard"]
    given = {f"requests.{name}" for name in limits[0]["defaultRequest"]}
    given |= {f"limits.{name}" for name in limits[0]["default"]}
    assert {key for key in hard if key.endswith(("cpu", "memory"))} <= given


def test_no_default_gives_a_container_a_gpu_that_it_did_not_ask_for() -> None:
    limits = _graph().named("t-defaults", "kubernetes:core/v1:LimitRange").props["spec"]["limits"]
    named: set[str] = set()
    for item in limits:
        named |= {*item.get("default", {}), *item.get("defaultRequest", {}), *item.get("min", {})}
    assert named == {"cpu", "memory"}


def test_the_network_is_closed_both_ways_but_for_the_tenants_own_pods_and_dns() -> None:
    graph = _graph()
    closed = graph.named("t-network-closed", POLICY).props["spec"]
    assert closed == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    own = graph.named("t-network-own", POLICY).props["spec"]
    assert own["ingress"] == [{"from": [{"podSelector": {}}]}]
    to_own, to_dns = own["egress"]
    assert to_own == {"to": [{"podSelector": {}}]}
    assert {(port["port"], port["protocol"]) for port in to_dns["ports"]} == {
        (53, "UDP"),
        (53, "TCP"),
    }


@pytest.mark.parametrize("kind", ["kueue", "volcano"])
def test_nobody_in_a_tenant_may_write_what_holds_the_tenant(kind: Scheduler) -> None:
    for one in _graph(index=1, kind=kind).of(ROLE):
        for rule in one.props["rules"]:
            writes = set(rule["verbs"]) - {"get", "list", "watch"}
            if writes == {"bind"}:
                assert rule["resourceNames"] == ["gpu-cluster-member", "gpu-cluster-viewer"]
                continue
            held = HOLDS_THE_TENANT & set(rule["resources"]) if writes else set[str]()
            assert not held, f"{one.name} may {writes} {held}"
            assert "*" not in (*rule["resources"], *rule["verbs"], *rule["apiGroups"])


def test_a_member_may_submit_jobs_of_the_sites_scheduler_and_see_its_queue() -> None:
    for kind, group, resource in (
        ("kueue", "jobset.x-k8s.io", "jobsets"),
        ("volcano", "batch.volcano.sh", "jobs"),
    ):
        rules = _graph(kind=kind).named("t-member", ROLE).props["rules"]  # type: ignore[arg-type]
        assert any(
            group in rule["apiGroups"]
            and resource in rule["resources"]
            and "create" in rule["verbs"]
            for rule in rules
        )


def test_viewers_see_no_secrets_and_change_nothing() -> None:
    for rule in _graph(index=1).named("t-viewer", ROLE).props["rules"]:
        assert set(rule["verbs"]) <= {"get", "list", "watch"}
        assert "secrets" not in rule["resources"]


def test_admins_are_members_who_may_also_grant_members_rights() -> None:
    assert _bindings(_graph(index=1)) == {
        "gpu-cluster-member": ["vision", "vision-leads"],
        "gpu-cluster-admin": ["vision-leads"],
        "gpu-cluster-viewer": ["auditors"],
    }


def test_a_leaving_tenant_starts_nothing_new_and_can_still_be_looked_at() -> None:
    graph = _graph({("tenants", 1, "state"): "leaving"}, index=1)
    hard = graph.named("t-quota", "kubernetes:core/v1:ResourceQuota").props["spec"]["hard"]
    assert hard["pods"] == "0"
    assert _bindings(graph) == {"gpu-cluster-viewer": ["auditors"]}


def test_work_of_every_kind_that_a_member_may_create_is_guarded() -> None:
    guarded = {*OWN_WORK.resources, *OWN_PODS.resources}
    # No work by itself: a TrainJob is made of it.
    guarded.add(("trainer.kubeflow.org", "trainingruntimes"))
    kinds: tuple[Scheduler, ...] = ("kueue", "volcano")
    for kind in kinds:
        for rule in _graph(kind=kind).named("t-member", ROLE).props["rules"]:
            if "create" in rule["verbs"] and set(rule["apiGroups"]) != {""}:
                named = {(rule["apiGroups"][0], one) for one in rule["resources"]}
                assert named <= guarded, f"a member may create {named - guarded}"


def test_every_rule_of_the_guard_holds_in_tenants_namespaces_only_and_fails_closed() -> None:
    graph = record(lambda: TenantGuard("g", opts=provider_options("g")))
    policies = graph.of("kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy")
    assert len(policies) == len(RULES)
    for policy in policies:
        spec = policy.props["spec"]
        assert spec["failurePolicy"] == "Fail"
        assert spec["matchConstraints"]["namespaceSelector"] == {
            "matchExpressions": [{"key": "gpu-cluster.io/tenant", "operator": "Exists"}]
        }


def test_everything_in_the_namespace_waits_for_it() -> None:
    graph = _graph(index=1)
    home = graph.named("t-namespace", NAMESPACE)
    for one in graph.resources:
        if one.props.get("metadata", {}).get("namespace") == "vision":
            assert graph.waits_for(one, home), one.urn
