from __future__ import annotations

from typing import Any

import pytest
import yaml
from graph_sites import Changes, site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster

QUEUE = "kubernetes:scheduling.volcano.sh/v1beta1:Queue"
RELEASE = "kubernetes:helm.sh/v3:Release"


def _graph(changes: Changes | None = None) -> Graph:
    return record(
        lambda: GpuCluster("c", site({("scheduler",): {"kind": "volcano"}, **(changes or {})}))
    )


def _volcano(**settings: Any) -> Changes:
    return {("scheduler",): {"kind": "volcano", "volcano": settings}}


def _queues(graph: Graph) -> dict[str, Any]:
    return {one.props["metadata"]["name"]: one.props["spec"] for one in graph.of(QUEUE)}


def _scheduler(graph: Graph) -> Any:
    values = graph.named("c-volcano-release", RELEASE).props["values"]
    return yaml.safe_load(values["custom"]["scheduler_config_override"])


def _plugins(configuration: Any) -> dict[str, Any]:
    return {plugin["name"]: plugin for tier in configuration["tiers"] for plugin in tier["plugins"]}


def test_a_tenant_has_a_queue_in_each_pool_that_it_has_a_share_of() -> None:
    assert set(_queues(_graph())) == {"ml.train", "ml.serve", "ml.general", "vision.serve"}


def test_a_queue_keeps_to_the_nodes_of_its_pool() -> None:
    graph = _graph()
    affinity = _queues(graph)["ml.train"]["affinity"]["nodeGroupAffinity"]
    assert affinity == {"requiredDuringSchedulingIgnoredDuringExecution": ["train"]}
    node = graph.named("c-gpu01", "kubernetes:core/v1:NodePatch")
    assert node.props["metadata"]["labels"]["volcano.sh/nodegroup-name"] == "train"


def test_a_selector_pools_group_is_the_one_its_nodes_are_labelled_with() -> None:
    graph = _graph(
        {
            ("node_pools", 0, "nodes"): None,
            ("node_pools", 0, "selector"): {"volcano.sh/nodegroup-name": "h100"},
            ("node_pools", 0, "count"): 2,
        }
    )
    affinity = _queues(graph)["ml.train"]["affinity"]["nodeGroupAffinity"]
    assert affinity == {"requiredDuringSchedulingIgnoredDuringExecution": ["h100"]}


def test_guarantee_deserved_and_capability_stand_in_the_order_the_webhook_wants() -> None:
    for spec in _queues(_graph()).values():
        assert spec["guarantee"]["resource"] == spec["deserved"]
        assert set(spec["deserved"]) <= set(spec["capability"])
    spec = _queues(_graph())["ml.train"]
    assert spec["deserved"]["nvidia.com/gpu"] == "8"
    assert spec["capability"]["nvidia.com/gpu"] == "12"


def test_the_ceiling_speaks_of_every_gpu_resource_of_the_site_and_of_pods() -> None:
    capability = _queues(_graph())["ml.train"]["capability"]
    assert capability["nvidia.com/mig-3g.40gb"] == "0", "what is left out is without limit"
    assert capability["pods"] == "200", "what is left out of a list that has others is zero"


def test_queues_hang_below_the_root_so_that_shares_can_shrink_in_one_run() -> None:
    assert {spec["parent"] for spec in _queues(_graph()).values()} == {"root"}


def test_a_job_is_never_sent_to_a_queue_that_is_not_open_yet() -> None:
    for one in _graph().of(QUEUE):
        waiting = one.props["metadata"]["annotations"]["pulumi.com/waitFor"]
        assert waiting == "jsonpath={.status.state}=Open"


def test_a_leaving_tenant_starts_no_more_pods() -> None:
    queues = _queues(_graph({("tenants", 0, "state"): "leaving"}))
    assert queues["ml.train"]["capability"]["pods"] == "0"
    assert queues["vision.serve"]["capability"]["pods"] == "200"


@pytest.mark.parametrize("share", ["capacity", "proportion"])
def test_capacity_and_proportion_never_meet(share: str) -> None:
    plugins = _plugins(_scheduler(_graph(_volcano(share=share))))
    assert plugins.keys() & {"capacity", "proportion"} == {share}


def test_guarantees_per_pool_need_hierarchy() -> None:
    assert _plugins(_scheduler(_graph()))["capacity"]["enableHierarchy"] is True


def test_a_guarantee_is_reclaimed_even_from_gangs_and_only_above_what_others_deserve() -> None:
    configuration = _scheduler(_graph())
    plugins = _plugins(configuration)
    assert "reclaim" in configuration["actions"].split(", ")
    assert plugins["gang"]["enableReclaimable"] is False
    assert "overcommit" not in plugins, "a job that it holds back has nothing reclaimed for it"
    assert len(configuration["tiers"]) == 1, "an earlier tier would choose victims without capacity"


@pytest.mark.parametrize(
    ("settings", "actions"),
    [
        ({}, "enqueue, allocate, reclaim, backfill"),
        ({"preempt": True}, "allocate, preempt, reclaim, backfill"),
        ({"reclaim": False, "backfill": False}, "enqueue, allocate"),
        ({"preempt": True, "reclaim": False}, "allocate, preempt, backfill"),
    ],
)
def test_the_scheduler_does_what_the_site_says(settings: dict[str, Any], actions: str) -> None:
    assert _scheduler(_graph(_volcano(**settings)))["actions"] == actions


def test_a_job_that_may_push_others_out_of_a_full_queue_is_not_kept_from_having_pods() -> None:
    for preempt in (True, False):
        actions = _scheduler(_graph(_volcano(preempt=preempt)))["actions"].split(", ")
        assert ("enqueue" in actions) is not preempt


def test_packing_goes_by_gpus_and_no_plugin_pulls_the_other_way() -> None:
    plugins = _plugins(_scheduler(_graph()))
    packing = plugins["binpack"]["arguments"]
    named = {one.strip() for one in packing["binpack.resources"].split(",")}
    assert named == {"nvidia.com/gpu", "nvidia.com/mig-3g.40gb"}
    for name in named:
        assert packing[f"binpack.resources.{name}"] > 1, "cores and memory weigh one each"
    assert plugins["nodeorder"]["arguments"]["leastrequested.weight"] == 0


def test_spreading_packs_nothing() -> None:
    plugins = _plugins(_scheduler(_graph(_volcano(placement="spread"))))
    assert "binpack" not in plugins
    assert plugins["nodeorder"] == {"name": "nodeorder"}


def test_another_scheduler_takes_over_where_one_fails() -> None:
    custom = _graph().named("c-volcano-release", RELEASE).props["values"]["custom"]
    assert custom["leader_elect_enable"] is True, "two that both lead would place jobs twice"
    for part in ("admission", "controller", "scheduler"):
        assert custom[f"{part}_replicas"] == 2


def test_the_pools_upgrades_wait_for_volcano_jobs() -> None:
    driver = _graph().of("kubernetes:nvidia.com/v1alpha1:NVIDIADriver")[0]
    waiting = driver.props["spec"]["upgradePolicy"]["waitForCompletion"]
    assert waiting["podSelector"] == "volcano.sh/job-name"


def test_queues_come_after_the_release() -> None:
    graph = _graph()
    for one in graph.of(QUEUE):
        assert graph.waits_for(one, graph.named("c-volcano-release", RELEASE))


def test_a_tenant_can_name_no_queue_of_another() -> None:
    api = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
    graph = _graph()
    spec = graph.named("c-volcano-own-queues", api).props["spec"]
    assert spec["failurePolicy"] == "Fail"
    resources = {
        one for rule in spec["matchConstraints"]["resourceRules"] for one in rule["resources"]
    }
    assert resources == {"jobs", "podgroups"}, "pods name their queue by the group made for them"
    binding = graph.named("c-volcano-own-queues", f"{api}Binding").props["spec"]
    assert binding == {"policyName": "gpu-cluster-own-queues", "validationActions": ["Deny"]}


def test_a_queue_with_pods_is_not_taken_away_from_them() -> None:
    api = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
    spec = _graph().named("c-volcano-busy-queues", api).props["spec"]
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["queues"], ["DELETE"])
    teardown = {"data": "delete", "confirm": "lab"}
    given_up = _graph({("teardown",): teardown})
    assert (api, "c-volcano-busy-queues") not in given_up.names(), "destroy takes what runs, too"


def test_a_queue_is_changed_in_place_whatever_its_tenant_gets() -> None:
    before = _graph()
    quota = {"train": {"gpu": 4}, "general": {"cpu": 8, "memory": "16Gi"}}
    after = _graph({("tenants", 0, "quota"): quota, ("tenants", 0, "weight"): 7})
    kept = {one.urn: one.props["metadata"]["name"] for one in before.of(QUEUE)}
    for one in after.of(QUEUE):
        assert kept[one.urn] == one.props["metadata"]["name"], "another name is another queue"
