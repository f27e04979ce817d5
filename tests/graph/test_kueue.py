from __future__ import annotations

from typing import Any

import yaml
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster

KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2:"
RELEASE = "kubernetes:helm.sh/v3:Release"


def _graph(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site(changes)))


def _spec(graph: Graph, kind: str, name: str) -> Any:
    found = [one for one in graph.of(f"{KUEUE}{kind}") if one.props["metadata"]["name"] == name]
    assert len(found) == 1
    return found[0].props["spec"]


def _quotas(spec: Any) -> dict[str, dict[str, tuple[str, str | None]]]:
    """Nominal quota and borrowing limit by flavor and resource."""
    return {
        flavor["name"]: {
            one["name"]: (one["nominalQuota"], one.get("borrowingLimit"))
            for one in flavor["resources"]
        }
        for group in spec["resourceGroups"]
        for flavor in group["flavors"]
    }


def test_a_flavor_sends_pods_to_its_pool_and_past_its_taints() -> None:
    spec = _spec(_graph(), "ResourceFlavor", "train")
    assert spec["nodeLabels"] == {"gpu-cluster.io/pool": "train"}
    assert spec["nodeTaints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    ]
    assert spec["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
    ]


def test_a_selector_pools_flavor_uses_the_labels_that_are_there() -> None:
    graph = _graph(
        {
            ("node_pools", 0, "nodes"): None,
            ("node_pools", 0, "selector"): {"cloud/pool": "h100"},
            ("node_pools", 0, "count"): 2,
        }
    )
    assert _spec(graph, "ResourceFlavor", "train")["nodeLabels"] == {"cloud/pool": "h100"}


def test_a_queue_holds_the_guarantee_and_may_borrow_up_to_the_ceiling() -> None:
    quotas = _quotas(_spec(_graph(), "ClusterQueue", "ml"))
    assert quotas["train"]["nvidia.com/gpu"] == ("8", "4")
    assert quotas["serve"]["nvidia.com/mig-3g.40gb"] == ("8", "0")
    assert quotas["general"]["memory"] == ("64Gi", "0")


def test_one_group_covers_every_resource_so_that_a_job_stays_on_one_pool() -> None:
    groups = _spec(_graph(), "ClusterQueue", "ml")["resourceGroups"]
    assert len(groups) == 1
    assert groups[0]["coveredResources"] == [
        "cpu",
        "memory",
        "nvidia.com/gpu",
        "nvidia.com/mig-3g.40gb",
    ]
    for flavor in groups[0]["flavors"]:
        assert [one["name"] for one in flavor["resources"]] == groups[0]["coveredResources"]


def test_jobs_without_gpus_fill_the_cpu_pool_first() -> None:
    flavors = _spec(_graph(), "ClusterQueue", "ml")["resourceGroups"][0]["flavors"]
    assert [flavor["name"] for flavor in flavors] == ["general", "train", "serve"]


def test_what_nobody_was_promised_is_the_cohorts_to_lend() -> None:
    quotas = _quotas(_spec(_graph(), "Cohort", "lab"))
    assert quotas["train"]["nvidia.com/gpu"] == ("8", None)
    assert quotas["serve"]["nvidia.com/mig-3g.40gb"] == ("4", None)
    assert quotas["general"]["cpu"] == ("32", None)


def test_guarantees_and_the_cohorts_rest_add_up_to_what_the_pools_have() -> None:
    graph = _graph()
    held = [_quotas(one.props["spec"]) for one in graph.of(f"{KUEUE}ClusterQueue")]
    held.append(_quotas(_spec(graph, "Cohort", "lab")))
    total = sum(
        int(quota.get("serve", {}).get("nvidia.com/mig-3g.40gb", ("0", None))[0]) for quota in held
    )
    assert total == 8 * 2, "eight GPUs of two instances each"


def test_a_guarantee_comes_back_by_preemption_whatever_the_priority() -> None:
    spec = _spec(_graph(), "ClusterQueue", "ml")
    assert spec["preemption"]["reclaimWithinCohort"] == "Any"
    assert spec["cohortName"] == "lab"
    assert spec["fairSharing"] == {"weight": "60"}


def test_a_queue_takes_work_from_its_own_tenants_namespace_only() -> None:
    graph = _graph()
    selector = _spec(graph, "ClusterQueue", "vision")["namespaceSelector"]
    assert selector == {"matchLabels": {"gpu-cluster.io/tenant": "vision"}}
    doors = {
        one.props["metadata"]["namespace"]: (
            one.props["metadata"]["name"],
            one.props["spec"]["clusterQueue"],
        )
        for one in graph.of(f"{KUEUE}LocalQueue")
    }
    assert doors == {"ml": ("default", "ml"), "vision": ("default", "vision")}


def test_a_leaving_tenants_queue_is_held_and_not_drained() -> None:
    graph = _graph({("tenants", 0, "state"): "leaving"})
    assert _spec(graph, "ClusterQueue", "ml")["stopPolicy"] == "Hold"
    assert _spec(graph, "ClusterQueue", "vision")["stopPolicy"] == "None"


def test_kueue_touches_tenants_namespaces_and_no_others() -> None:
    release = _graph().named("c-kueue-release", RELEASE)
    text = release.props["values"]["managerConfig"]["controllerManagerConfigYaml"]
    configuration = yaml.safe_load(text)
    assert configuration["managedJobsNamespaceSelector"] == {
        "matchExpressions": [{"key": "gpu-cluster.io/tenant", "operator": "Exists"}]
    }
    assert "pod" in configuration["integrations"]["frameworks"], "or pods get GPUs past the queue"
    prefixes = configuration["resources"]["excludeResourcePrefixes"]
    assert not [one for one in prefixes if "nvidia.com/gpu".startswith(one)]


def test_the_crds_and_all_queues_outlive_the_release_unless_the_site_gives_them_up() -> None:
    teardown = {"data": "delete", "crds": "delete", "confirm": "lab"}
    kept = _graph().named("c-kueue-release", RELEASE)
    given_up = _graph({("teardown",): teardown}).named("c-kueue-release", RELEASE)
    assert kept.props["postrender"] == "gpu-cluster-keep-crds"
    assert "postrender" not in given_up.props


def test_queues_come_after_the_release_the_flavors_and_the_namespace() -> None:
    graph = _graph()
    queue = graph.named("c-ml-queue-cluster-queue", f"{KUEUE}ClusterQueue")
    for type_token, name in (
        (RELEASE, "c-kueue-release"),
        (f"{KUEUE}ResourceFlavor", "c-kueue-train"),
        ("kubernetes:core/v1:Namespace", "c-ml-namespace"),
    ):
        assert graph.waits_for(queue, graph.named(name, type_token)), name
