"""Each case is a few resources and exactly what one rule about quotas and queues says of them."""

from __future__ import annotations

from typing import Any

import pytest
from policy_stack import faults, found, manifest, pool, release

from gpu_cluster_policies.quota.keys import LIMIT_RANGE_GPU_DEFAULT, QUOTA_GPU_KEY
from gpu_cluster_policies.quota.kueue import (
    KUEUE_COVERED_RESOURCES_DIFFER,
    KUEUE_GPU_NOT_COVERED,
    KUEUE_QUOTA_OVER_CAPACITY,
)
from gpu_cluster_policies.quota.unknown_resource import QUOTA_UNKNOWN_RESOURCE
from gpu_cluster_policies.quota.volcano import (
    QUEUE_AMOUNTS_OUT_OF_ORDER,
    QUEUE_WEIGHT_ZERO,
    VOLCANO_CAPABILITY_INCOMPLETE,
    VOLCANO_GUARANTEES_OVER_CAPACITY,
)
from gpu_cluster_policies.quota.workloads import (
    GPU_REQUEST_WITHOUT_LIMIT,
    GPU_WORKLOAD_WITHOUT_QUEUE,
)

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-3g.40gb"
TRAIN = pool("train", {GPU: 8}, nodes=2)
SERVE = pool("serve", {MIG: 16}, nodes=1)


def hard(keys: dict[str, str], kind: str = "ResourceQuota") -> Any:
    return manifest(f"core/v1:{kind}", "q", namespace="team", spec={"hard": keys})


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"requests.nvidia.com/gpu": "8", "limits.memory": "1Gi", "pods": "10"}, []),
        ({"limits.nvidia.com/gpu": "8"}, ["limits.nvidia.com/gpu"]),
        ({"nvidia.com/gpu": "8", "requests.nvidia.com/gpu": "8"}, ["nvidia.com/gpu"]),
        ({"limits.nvidia.com/mig-1g.10gb": "1"}, ["limits.nvidia.com/mig-1g.10gb"]),
    ],
)
def test_a_quota_key_that_is_taken_and_never_counted_is_told(
    keys: dict[str, str], wrong: list[str]
) -> None:
    for kind in ("ResourceQuota", "ResourceQuotaPatch"):
        assert faults(QUOTA_GPU_KEY, [hard(keys, kind)]) == [
            f"ResourceQuota team/q: spec.hard names {key}, which is taken and never counted"
            for key in wrong
        ]


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"requests.nvidia.com/gpu": "8", "requests.cpu": "1"}, []),
        ({"requests.nvidia.com/mig-1g.5gb": "0"}, []),
        ({"requests.nvidia.com/mig-1g.5gb": "64"}, ["nvidia.com/mig-1g.5gb"]),
        ({"requests.nvidia.com/gpu.shared": "4"}, ["nvidia.com/gpu.shared"]),
    ],
)
def test_a_quota_of_what_no_pool_offers_limits_nothing(
    keys: dict[str, str], wrong: list[str]
) -> None:
    expected = [
        f"ResourceQuota team/q: limits {name}, which no node pool offers (they offer {GPU}, {MIG})"
        for name in wrong
    ]
    assert faults(QUOTA_UNKNOWN_RESOURCE, [TRAIN, SERVE, hard(keys)]) == expected
    told = {"gpuResources": [GPU, MIG]}
    assert faults(QUOTA_UNKNOWN_RESOURCE, [hard(keys)], told) == expected


def test_a_quota_that_nothing_helps_to_judge_is_not_passed_over() -> None:
    assert found(QUOTA_UNKNOWN_RESOURCE, hard({"requests.nvidia.com/gpu": "8"})) == [
        (
            "cannot judge ResourceQuota team/q: no node pool registers, and the configuration "
            "names no GPU resources; fix: set gpu-cluster.gpuResources in the file given with "
            "--policy-pack-config"
        )
    ]
    assert found(QUOTA_UNKNOWN_RESOURCE, hard({"requests.cpu": "8"})) == []


@pytest.mark.parametrize(
    ("limit", "wrong"),
    [
        ({"type": "Container", "max": {GPU: "8"}, "default": {"memory": "4Gi"}}, []),
        ({"type": "Container", "default": {GPU: "1"}}, ["default"]),
        ({"type": "Container", "defaultRequest": {GPU: "1"}}, ["defaultRequest"]),
        (
            {"type": "Container", "min": {GPU: "1"}, "default": {GPU: "1"}},
            ["default", "min"],
        ),
    ],
)
def test_a_limit_range_that_gives_every_container_a_gpu_is_told(
    limit: dict[str, Any], wrong: list[str]
) -> None:
    limits = manifest("core/v1:LimitRange", "l", namespace="team", spec={"limits": [limit]})
    assert faults(LIMIT_RANGE_GPU_DEFAULT, [limits]) == [
        f"LimitRange team/l: {section} gives every container {GPU}" for section in wrong
    ]


def container(resources: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "a:1", "resources": resources}]}


@pytest.mark.parametrize(
    ("resources", "wrong"),
    [
        ({"limits": {GPU: 1}}, None),
        ({"limits": {GPU: "2"}, "requests": {GPU: 2}}, None),
        ({"requests": {"cpu": "1"}}, None),
        ({"requests": {GPU: 1}}, f"requests {GPU} and has no limit of it"),
        ({"requests": {MIG: 1}, "limits": {GPU: 1}}, f"requests {MIG} and has no limit of it"),
        ({"requests": {GPU: 1}, "limits": {GPU: 2}}, f"requests 1 {GPU} with a limit of 2"),
    ],
)
def test_gpus_are_asked_for_by_limits_in_pods_and_in_values(
    resources: dict[str, Any], wrong: str | None
) -> None:
    spec = {"template": {"spec": container(resources)}}
    job = manifest("batch/v1:Job", "j", namespace="team", spec=spec)
    assert faults(GPU_REQUEST_WITHOUT_LIMIT, [job]) == (
        [f"Job team/j: spec.template.spec.containers[0].resources {wrong}"] if wrong else []
    )
    chart = release("triton", {"server": {"resources": resources}})
    assert faults(GPU_REQUEST_WITHOUT_LIMIT, [chart]) == (
        [f"Release triton/triton: values.server.resources {wrong}"] if wrong else []
    )


LOCAL = manifest("kueue.x-k8s.io/v1beta2:LocalQueue", "main", namespace="team", spec={})
QUEUE_LABEL = {"kueue.x-k8s.io/queue-name": "main"}


def job(labels: Any = None, namespace: Any = "team", **more: Any) -> Any:
    spec = {"template": {"spec": container({"limits": {GPU: 1}}), **more}}
    return manifest("batch/v1:Job", "j", namespace=namespace, labels=labels, spec=spec)


def test_work_that_goes_past_the_queues_is_told() -> None:
    wrong = [f"Job team/j: asks for {GPU} and names no queue"]
    assert faults(GPU_WORKLOAD_WITHOUT_QUEUE, [LOCAL, job()]) == wrong
    assert faults(GPU_WORKLOAD_WITHOUT_QUEUE, [job()], {"scheduler": "volcano"}) == wrong
    chart = release("triton", {"resources": {"limits": {GPU: 1}}})
    assert faults(GPU_WORKLOAD_WITHOUT_QUEUE, [LOCAL, chart]) == [
        f"Release triton/triton: asks for {GPU} and names no queue"
    ]


def test_work_in_a_queue_and_work_without_gpus_pass() -> None:
    annotated = {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": "a"}}}
    default = manifest("kueue.x-k8s.io/v1beta2:LocalQueue", "default", namespace="team", spec={})
    volcano = manifest(
        "batch.volcano.sh/v1alpha1:Job",
        "v",
        namespace="team",
        spec={"queue": "a", "tasks": [{"template": {"spec": container({"limits": {GPU: 1}})}}]},
    )
    for stack in (
        [LOCAL, job(QUEUE_LABEL)],
        [LOCAL, job(**annotated)],
        [LOCAL, volcano],
        [default, job()],
        [LOCAL, job(namespace="gpu-operator")],
        [LOCAL, release("web", {"resources": {"limits": {"cpu": 1}}})],
    ):
        assert faults(GPU_WORKLOAD_WITHOUT_QUEUE, stack) == []
    assert faults(GPU_WORKLOAD_WITHOUT_QUEUE, [job()], {"scheduler": "none"}) == []


def test_work_of_which_nothing_tells_whether_there_are_queues_is_not_passed_over() -> None:
    assert found(GPU_WORKLOAD_WITHOUT_QUEUE, job()) == [
        (
            f"cannot judge Job team/j: it asks for {GPU} outside any queue, and nothing tells "
            "whether there are queues; fix: set gpu-cluster.scheduler in the file given with "
            '--policy-pack-config, for example "none"'
        )
    ]


def volcano(name: Any = "a", **spec: Any) -> Any:
    return manifest("scheduling.volcano.sh/v1beta1:Queue", name, spec=spec)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"guarantee": {"resource": {GPU: 1}}, "deserved": {GPU: "2"}, "capability": {GPU: 4}}, []),
        ({"deserved": {GPU: 2}}, []),
        (
            {"deserved": {GPU: 8}, "capability": {GPU: "4"}},
            [f"deserved of {GPU} is 8, more than its capability of 4"],
        ),
        (
            {"guarantee": {"resource": {GPU: 4}}, "deserved": {GPU: 2}},
            [f"guarantee of {GPU} is 4, more than its deserved of 2"],
        ),
        (
            {"guarantee": {"resource": {GPU: 4}}, "capability": {GPU: 8}},
            [f"{GPU} is guaranteed and not among deserved"],
        ),
    ],
)
def test_a_queues_amounts_are_in_order(spec: dict[str, Any], wrong: list[str]) -> None:
    assert faults(QUEUE_AMOUNTS_OUT_OF_ORDER, [volcano(**spec)]) == [
        f"Queue a: {one}" for one in wrong
    ]


def test_a_queue_without_weight_is_told() -> None:
    assert faults(QUEUE_WEIGHT_ZERO, [volcano(weight=1), volcano()]) == []
    assert faults(QUEUE_WEIGHT_ZERO, [volcano(weight=0)]) == ["Queue a: spec.weight is 0"]
    assert faults(QUEUE_WEIGHT_ZERO, [volcano(weight=-1)]) == ["Queue a: spec.weight is -1"]
    kueue = manifest(
        "kueue.x-k8s.io/v1beta2:ClusterQueue", "c", spec={"fairSharing": {"weight": "0"}}
    )
    assert faults(QUEUE_WEIGHT_ZERO, [kueue]) == ["ClusterQueue c: spec.fairSharing.weight is 0"]


def test_a_queue_whose_capability_leaves_a_gpu_resource_out_is_unlimited() -> None:
    rule = VOLCANO_CAPABILITY_INCOMPLETE
    both = {"capability": {GPU: 8, MIG: 0}}
    assert faults(rule, [TRAIN, SERVE, volcano(**both), volcano("root"), volcano("default")]) == []
    assert faults(rule, [TRAIN, SERVE, volcano(capability={GPU: 8})]) == [
        f"Queue a: its capability leaves out {MIG}: that is no limit"
    ]
    slurm = pool("slurm", {MIG: 8}, nodes=1, workload="slurm")
    assert faults(rule, [TRAIN, slurm, volcano(capability={GPU: 8})]) == [], "Slurm gives it out"
    assert faults(rule, [volcano()], {"gpuResources": [GPU]}) == [
        f"Queue a: its capability leaves out {GPU}: that is no limit"
    ]
    child = volcano("child", parent="a", capability={GPU: 2})
    assert faults(rule, [TRAIN, SERVE, volcano(**both), child]) == [], "its parent's holds for it"
    assert found(rule, volcano(**both)) == [
        (
            "cannot judge Queue a: no node pool registers, and the configuration names no GPU "
            "resources; fix: set gpu-cluster.gpuResources in the file given with "
            "--policy-pack-config"
        )
    ]


def test_queues_are_promised_no_more_than_there_is() -> None:
    rule = VOLCANO_GUARANTEES_OVER_CAPACITY
    eight, nine = volcano("a", deserved={GPU: 8}), volcano("b", guarantee={"resource": {GPU: 9}})
    child = volcano("c", parent="a", deserved={GPU: 8})
    assert faults(rule, [TRAIN, eight, child, volcano("b", deserved={GPU: 8})]) == []
    over = [f"the queues are promised 17 {GPU} and the pools have 16"]
    assert faults(rule, [TRAIN, eight, nine]) == over
    config = {"pools": {"train": {"nodes": 2, "resources": {GPU: 8}}}}
    assert faults(rule, [eight, nine], config) == over
    assert faults(rule, [TRAIN, volcano(deserved={MIG: 1})]) == [
        f"the queues are promised 1 {MIG} and the pools have 0"
    ]
    assert found(rule, eight) == [
        (
            "cannot judge the guarantees of Volcano's queues: nothing tells how many nodes the "
            "pools have; fix: set gpu-cluster.pools in the file given with --policy-pack-config"
        )
    ]


def cluster_queue(
    quotas: dict[str, int], covered: list[str] | None = None, flavor: str = "train", name: str = "c"
) -> Any:
    group = {
        "coveredResources": list(quotas) if covered is None else covered,
        "flavors": [
            {
                "name": flavor,
                "resources": [{"name": key, "nominalQuota": n} for key, n in quotas.items()],
            }
        ],
    }
    return manifest("kueue.x-k8s.io/v1beta2:ClusterQueue", name, spec={"resourceGroups": [group]})


def test_every_flavor_has_exactly_the_covered_resources() -> None:
    rule = KUEUE_COVERED_RESOURCES_DIFFER
    assert faults(rule, [cluster_queue({"cpu": 1, GPU: 8})]) == []
    assert faults(rule, [cluster_queue({"cpu": 1}, ["cpu", GPU])]) == [
        f"ClusterQueue c: flavor train gives no quota for {GPU}, which is covered"
    ]
    assert faults(rule, [cluster_queue({"cpu": 1, GPU: 8}, ["cpu"])]) == [
        f"ClusterQueue c: flavor train gives a quota for {GPU}, which is not covered"
    ]


def test_what_no_queue_covers_is_never_admitted() -> None:
    rule = KUEUE_GPU_NOT_COVERED
    slurm = pool("slurm", {"nvidia.com/mig-1g.10gb": 8}, nodes=1, workload="slurm")
    gpus, slices = cluster_queue({GPU: 8}), cluster_queue({MIG: 8}, name="d")
    assert faults(rule, [TRAIN, SERVE, slurm, gpus, slices]) == []
    wrong = [f"ClusterQueue c: no ClusterQueue covers {MIG}, which the pools offer"]
    assert faults(rule, [TRAIN, SERVE, gpus]) == wrong
    assert faults(rule, [gpus], {"gpuResources": [GPU, MIG]}) == wrong
    assert len(found(rule, gpus)) == 1, "it says that it cannot judge"


def test_nominal_quotas_add_up_to_no_more_than_the_pools_have() -> None:
    rule = KUEUE_QUOTA_OVER_CAPACITY
    flavor = manifest(
        "kueue.x-k8s.io/v1beta2:ResourceFlavor",
        "train",
        spec={"nodeLabels": {"gpu-cluster.io/pool": "train"}},
    )
    more = pool("more", {GPU: 8}, nodes=1)
    full, rest = cluster_queue({GPU: 12}), cluster_queue({GPU: 4}, name="d")
    assert faults(rule, [TRAIN, full, rest]) == []
    assert faults(rule, [TRAIN, full, cluster_queue({GPU: 5}, name="d")]) == [
        f"the nominal quotas of {GPU} add up to 17 and the pools have 16"
    ]
    assert faults(rule, [TRAIN, more, flavor, full, cluster_queue({GPU: 5}, name="d")]) == [
        f"the nominal quotas of {GPU} add up to 17 and the pool train has 16"
    ], "each flavor is held against its own pool"
    config = {"pools": {"train": {"nodes": 1, "resources": {GPU: 8}}}}
    assert faults(rule, [full], config) == [
        f"the nominal quotas of {GPU} add up to 12 and the pools have 8"
    ]
    assert found(rule, full) == [
        (
            "cannot judge the quotas of Kueue's queues: nothing tells how many nodes the pools "
            "have; fix: set gpu-cluster.pools in the file given with --policy-pack-config"
        )
    ]


def test_what_a_cohort_lends_may_count_on_nodes_that_are_yet_to_come() -> None:
    rule = KUEUE_QUOTA_OVER_CAPACITY
    scales = pool("train", {GPU: 8}, nodes=1, most=4)
    lent = cluster_queue({GPU: 24}, name="all")
    cohort = manifest("kueue.x-k8s.io/v1beta2:Cohort", "all", spec={})
    cohort.properties.update({"spec": dict(lent.properties["spec"])})
    assert faults(rule, [scales, cluster_queue({GPU: 8}), cohort]) == []
    assert faults(rule, [scales, cluster_queue({GPU: 9}), cohort]) == [
        f"the nominal quotas of {GPU} add up to 9 and the pools have 8"
    ]
    few = pool("train", {GPU: 8}, nodes=1, most=3)
    assert faults(rule, [few, cluster_queue({GPU: 8}), cohort]) == [
        f"the nominal quotas of {GPU} add up to 32 and the pools have 24"
    ]
