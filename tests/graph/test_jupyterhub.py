from __future__ import annotations

from typing import Any

import pytest
from graph_sites import NOTEBOOKS, Changes, site
from recorded_graph import Graph, Registered, is_secret, plain_texts, record

from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.workloads.jupyterhub.secrets import contents, fingerprint

RELEASE = "kubernetes:helm.sh/v3:Release"
NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
VOLCANO: Changes = {("scheduler",): {"kind": "volcano"}}


def _graph(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site({**NOTEBOOKS, **(changes or {})})))


def _release(graph: Graph, tenant: str = "ml") -> Registered:
    return graph.named(f"c-{tenant}-jupyterhub-release", RELEASE)


def _values(graph: Graph, tenant: str = "ml") -> Any:
    return _release(graph, tenant).props["values"]


def test_every_tenant_has_a_hub_at_an_address_of_its_own() -> None:
    graph = _graph()
    for tenant in ("ml", "vision"):
        values = _values(graph, tenant)
        host = f"{tenant}.jupyter.lab.example"
        assert values["ingress"]["hosts"] == [host]
        assert values["ingress"]["tls"] == [{"hosts": [host]}]
        callback = values["hub"]["config"]["GenericOAuthenticator"]["oauth_callback_url"]
        assert callback == f"https://{host}/hub/oauth_callback"


def test_a_certificate_is_asked_for_where_somebody_issues_them() -> None:
    asked = _graph({("workloads", "jupyterhub", "cluster_issuer"): "lab"})
    ingress = _values(asked)["ingress"]
    assert ingress["annotations"] == {"cert-manager.io/cluster-issuer": "lab"}
    assert ingress["tls"][0]["secretName"] == "jupyterhub-tls"


def test_only_the_tenants_people_get_in_and_nobody_becomes_somebody_else() -> None:
    config = _values(_graph(), "vision")["hub"]["config"]
    assert config["JupyterHub"]["authenticator_class"] == "generic-oauth"
    assert config["JupyterHub"]["admin_access"] is False
    oidc = config["GenericOAuthenticator"]
    assert oidc["allowed_groups"] == ["vision", "vision-leads"]
    assert oidc["admin_groups"] == ["vision-leads"]
    assert not {"allow_all", "client_secret"} & set(oidc)


def test_who_left_the_group_is_out_within_a_day_whatever_token_they_made() -> None:
    config = _values(_graph())["hub"]["config"]["JupyterHub"]
    assert config["cookie_max_age_days"] == 1, "JupyterHub's own is 14"
    assert config["token_expires_in_max_seconds"] == 86400, "JupyterHub's own never end"


def test_a_group_is_the_providers_without_the_api_servers_prefix() -> None:
    changes: Changes = {
        ("tenants", 0, "group"): "oidc:ml",
        ("workloads", "jupyterhub", "oidc", "group_prefix"): "oidc:",
    }
    oidc = _values(_graph(changes))["hub"]["config"]["GenericOAuthenticator"]
    assert oidc["allowed_groups"] == ["ml"]


def test_a_hub_is_apart_from_its_tenant_and_its_servers_are_the_tenants() -> None:
    graph = _graph()
    assert _release(graph).props["namespace"] == "jupyterhub-ml"
    home = graph.named("c-ml-jupyterhub-namespace", "kubernetes:core/v1:Namespace")
    assert home.props["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "restricted"}
    spawner = _values(graph)["hub"]["config"]["KubeSpawner"]
    assert spawner["namespace"] == "ml"
    assert spawner["container_security_context"]["capabilities"] == {"drop": ["ALL"]}
    assert _values(graph)["singleuser"]["cloudMetadata"] == {"blockWithIptables": False}


def test_a_hub_may_start_and_stop_servers_and_never_delete_a_home() -> None:
    graph = _graph()
    role = graph.named("c-ml-jupyterhub-role", "kubernetes:rbac.authorization.k8s.io/v1:Role")
    rights = {rule["resources"][0]: set(rule["verbs"]) for rule in role.props["rules"]}
    assert "delete" in rights["pods"]
    assert "delete" not in rights["persistentvolumeclaims"]
    assert set(rights) == {"pods", "persistentvolumeclaims", "events"}
    assert _values(graph)["hub"]["config"]["KubeSpawner"]["delete_pvc"] is False
    assert _values(graph)["rbac"] == {"create": False}
    binding = graph.named(
        "c-ml-jupyterhub-binding", "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"
    )
    assert binding.props["metadata"]["namespace"] == "ml"
    assert binding.props["subjects"] == [
        {"kind": "ServiceAccount", "namespace": "jupyterhub-ml", "name": "hub"}
    ]


def test_a_notebook_is_a_pod_of_the_queue_on_its_pool() -> None:
    first = _values(_graph())["singleuser"]["profileList"][0]
    assert first["default"] is True
    override = first["kubespawner_override"]
    assert override["extra_resource_limits"] == {"nvidia.com/gpu": "1"}
    assert override["node_selector"] == {"gpu-cluster.io/pool": "train"}
    assert override["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
    ]
    assert override["extra_labels"]["kueue.x-k8s.io/queue-name"] == "default"
    assert (override["cpu_guarantee"], override["mem_guarantee"]) == (24, "230400M")
    assert override["mem_limit"] == override["mem_guarantee"], "no limit would mean 4Gi"


def test_under_volcano_a_notebook_names_volcano_and_the_tenants_queue_in_the_pool() -> None:
    values = _values(_graph(VOLCANO))
    assert values["hub"]["config"]["KubeSpawner"]["scheduler_name"] == "volcano"
    queues = [
        one["kubespawner_override"]["extra_annotations"]["scheduling.volcano.sh/queue-name"]
        for one in values["singleuser"]["profileList"]
    ]
    assert queues == ["ml.train", "ml.serve", "ml.general"]


def test_nothing_of_the_hubs_places_pods_or_runs_on_every_node() -> None:
    values = _values(_graph())
    assert not values["scheduling"]["userScheduler"]["enabled"]
    assert not values["scheduling"]["userPlaceholder"]["enabled"]
    assert not values["prePuller"]["hook"]["enabled"]
    assert not values["prePuller"]["continuous"]["enabled"]


def test_the_tenants_closed_network_opens_between_its_servers_and_its_own_hub_only() -> None:
    graph = _graph()
    spec = graph.named("c-ml-jupyterhub-network", NETWORK_POLICY).props["spec"]
    assert spec["podSelector"]["matchLabels"]["component"] == "singleuser-server"
    peers = [
        peer
        for rule in (*spec["ingress"], *spec["egress"])
        for peer in (*rule.get("from", ()), *rule.get("to", ()))
    ]
    homes = [peer["namespaceSelector"]["matchLabels"] for peer in peers]
    assert homes == [{"kubernetes.io/metadata.name": "jupyterhub-ml"}] * 4
    (access,) = _values(graph)["hub"]["networkPolicy"]["ingress"]
    assert access["from"][0]["namespaceSelector"] == {
        "matchLabels": {"gpu-cluster.io/tenant": "ml"}
    }


def test_idle_notebooks_give_their_gpu_back() -> None:
    assert _values(_graph())["cull"] == {"timeout": 3600, "every": 300}
    longer: Changes = {
        ("workloads", "jupyterhub", "idle"): "48h",
        ("workloads", "jupyterhub", "longest"): "168h",
    }
    assert _values(_graph(longer))["cull"] == {"timeout": 172800, "every": 300, "maxAge": 604800}


def test_secrets_are_in_a_secret_that_the_hub_reads_and_nowhere_else() -> None:
    graph = _graph()
    assert _values(graph)["hub"]["existingSecret"] == "jupyterhub-secrets"
    secret = graph.named("c-ml-jupyterhub-secret", "kubernetes:core/v1:Secret")
    assert is_secret(secret.wire["stringData"])
    assert "planted-client-secret" in secret.wire["stringData"]["value"]["values.yaml"]
    for resource in graph.resources:
        texts = plain_texts(resource.wire)
        assert not [text for text in texts if "planted" in text], resource.urn
    assert graph.waits_for(_release(graph), secret)


def test_no_two_hubs_have_a_secret_in_common_and_each_has_always_the_same() -> None:
    one, other = contents("a", "key", "client"), contents("b", "key", "client")
    for purpose in ("hub.config.JupyterHub.cookie_secret", "hub.config.CryptKeeper.keys"):
        assert len(bytes.fromhex(one[purpose])) == 32
        assert one[purpose] != other[purpose]
    assert len(set(one.values())) == len(one)
    assert contents("a", "key", "client") == one


@pytest.mark.parametrize("changed", [("b", "k", "c"), ("a", "l", "c"), ("a", "k", "d")])
def test_a_hub_starts_anew_when_one_of_its_secrets_changes(changed: tuple[str, str, str]) -> None:
    assert fingerprint("a", "k", "c") != fingerprint(*changed)


def test_a_hub_waits_for_its_tenant_and_its_queue() -> None:
    graph = _graph()
    for earlier in ("ml-namespace", "ml-queue-local-queue"):
        found = [one for one in graph.resources if one.name == f"c-{earlier}"]
        assert graph.waits_for(_release(graph), found[0]), earlier


def test_a_leaving_tenants_hub_is_gone() -> None:
    graph = _graph({("tenants", 0, "state"): "leaving"})
    tenants = [one.name for one in graph.of("gpu-cluster:workloads:JupyterHub")]
    assert tenants == ["c-vision-jupyterhub"]
