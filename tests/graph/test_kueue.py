from __future__ import annotations

from typing import Any

import yaml
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster
from pulumi_gpu_cluster.catalog.versions import KUEUE as KUEUE_VERSION

KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2:"
RELEASE = "kubernetes:helm.sh/v3:Release"


def _graph(changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site(changes)))


def _spec(graph: Graph, kind: str, name: str) -> Any:
    found = [one for one in graph.of(f"{KUEUE}{kind}") if one.props["metadata"]["name"] == name]
    assert len(found) == 1
    return found[0].props["spec"]


def _configuration(graph: Graph) -> Any:
    values = graph.named("c-kueue-release", RELEASE).props["values"]
    return yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])


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


def test_a_pool_that_scales_lends_what_its_largest_would_leave() -> None:
    """So a node that appears is used without another run, and jobs may wait for one to appear."""
    graph = _graph(
        {
            ("node_pools", 0, "nodes"): None,
            ("node_pools", 0, "selector"): {"cloud/pool": "h100"},
            ("node_pools", 0, "min"): 2,
            ("node_pools", 0, "max"): 5,
        }
    )
    (promised, beyond) = _quotas(_spec(graph, "ClusterQueue", "ml"))["train"]["nvidia.com/gpu"]
    assert (promised, beyond) == ("8", "4")
    assert _quotas(_spec(graph, "Cohort", "lab"))["train"]["nvidia.com/gpu"] == ("32", None)


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
    configuration = _configuration(_graph())
    assert configuration["managedJobsNamespaceSelector"] == {
        "matchExpressions": [{"key": "gpu-cluster.io/tenant", "operator": "Exists"}]
    }
    assert "pod" in configuration["integrations"]["frameworks"], "or pods get GPUs past the queue"
    prefixes = configuration["resources"]["excludeResourcePrefixes"]
    assert not [one for one in prefixes if "nvidia.com/gpu".startswith(one)]


def test_a_job_elsewhere_that_names_a_queue_is_left_alone() -> None:
    major, minor, _ = KUEUE_VERSION.split(".")
    assert (int(major), int(minor)) >= (0, 19), (
        "before, the selector held for such jobs by the gate "
        "ManagedJobsNamespaceSelectorAlwaysRespected alone, which has to be set then"
    )


def test_no_namespace_of_the_platform_has_the_label_of_tenants() -> None:
    graph = _graph({("scheduler",): {"kind": "kueue", "trainer": True}})
    tenants = {
        one.props["metadata"]["name"]
        for one in graph.of("kubernetes:core/v1:Namespace")
        if "gpu-cluster.io/tenant" in one.props["metadata"]["labels"]
    }
    assert tenants == {"ml", "vision"}


def test_a_job_whose_pods_do_not_start_gives_its_place_to_another() -> None:
    waiting = _configuration(_graph())["waitForPodsReady"]
    assert waiting["timeout"] == "30m"
    assert waiting["blockAdmission"] is False, "one stuck job would stop every tenant"
    assert "backoffLimitCount" not in waiting["requeuingStrategy"]


def test_the_site_says_how_long_to_wait_and_how_often() -> None:
    kueue = {"wait_for_pods": "2h", "retries": 3, "preempt": "never"}
    graph = _graph({("scheduler",): {"kueue": kueue}})
    waiting = _configuration(graph)["waitForPodsReady"]
    assert waiting["timeout"] == "2h"
    assert waiting["requeuingStrategy"]["backoffLimitCount"] == 3
    preemption = _spec(graph, "ClusterQueue", "ml")["preemption"]
    assert preemption == {"reclaimWithinCohort": "Any", "withinClusterQueue": "Never"}


def test_what_each_queue_has_and_uses_is_measured() -> None:
    assert _configuration(_graph())["metrics"]["enableClusterQueueResources"] is True


def test_the_webhooks_that_every_pod_of_a_tenant_passes_have_two_that_answer() -> None:
    values = _graph().named("c-kueue-release", RELEASE).props["values"]["controllerManager"]
    assert values == {"replicas": 2, "podDisruptionBudget": {"enabled": True}}


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
