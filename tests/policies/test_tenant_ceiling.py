"""Each case is a small stack and exactly what the rule says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from policy_stack import KUBERNETES, SITE, UNKNOWN_YET, judged, pool, resource

from gpu_cluster_policies.analyzer import wanted_by
from gpu_cluster_policies.decoding import stack_resources
from gpu_cluster_policies.quota.tenant_ceiling import (
    TENANT_NAMESPACE_WITHOUT_GPU_QUOTA as RULE,
)

if TYPE_CHECKING:
    from pulumi.runtime.proto.analyzer_pb2 import AnalyzerResource

TRAIN = pool("train", {"nvidia.com/gpu": 8.0}, gpu="H100-SXM5-80GB")
SERVE = pool("serve", {"nvidia.com/mig-3g.40gb": 16.0}, gpu="A100-SXM4-80GB")
GENERAL = pool("general")
FIX = (
    "fix: name each in spec.hard of a ResourceQuota of this namespace (0 where the tenant gets "
    "none)"
)


def tenant(
    name: str = "ml-team", labels: dict[str, str] | str | None = None, cluster: str = ""
) -> AnalyzerResource:
    labels = {"gpu-cluster.io/tenant": name} if labels is None else labels
    props = {"metadata": {"name": name, "labels": labels}}
    called = f"{cluster}-{name}" if cluster else name
    return resource(f"{KUBERNETES}Namespace", called, props, cluster=cluster)


def quota(
    hard: dict[str, str] | str,
    namespace: str = "ml-team",
    kind: str = "ResourceQuota",
    scope: dict[str, object] | None = None,
) -> AnalyzerResource:
    props = {"metadata": {"namespace": namespace}, "spec": {"hard": hard, **(scope or {})}}
    return resource(f"{KUBERNETES}{kind}", f"{namespace}-quota", props)


def test_a_quota_that_names_every_gpu_resource_of_the_cluster_passes() -> None:
    hard = {"requests.nvidia.com/gpu": "16", "requests.nvidia.com/mig-3g.40gb": "0"}
    assert judged(RULE, [TRAIN, SERVE, GENERAL, tenant(), quota(hard)]) == ([], "")


def test_several_quotas_of_one_namespace_count_together() -> None:
    quotas = [
        quota({"requests.nvidia.com/gpu": "16"}),
        quota({"requests.nvidia.com/mig-3g.40gb": "0"}, kind="ResourceQuotaPatch"),
    ]
    assert judged(RULE, [TRAIN, SERVE, tenant(), *quotas]) == ([], "")


@pytest.mark.parametrize("kind", ["Namespace", "NamespacePatch"])
def test_a_tenant_without_any_quota_is_refused_however_its_namespace_was_labelled(
    kind: str,
) -> None:
    namespace = resource(
        f"{KUBERNETES}{kind}",
        "ml-team",
        {"metadata": {"name": "ml-team", "labels": {"gpu-cluster.io/tenant": "ml-team"}}},
    )
    assert judged(RULE, [TRAIN, SERVE, namespace]) == (
        [
            (
                "ml-team",
                (
                    "namespace ml-team: no ResourceQuota limits requests.nvidia.com/gpu, "
                    f"requests.nvidia.com/mig-3g.40gb, so its pods may take all there is; {FIX}"
                ),
            )
        ],
        "",
    )


@pytest.mark.parametrize(
    ("near_miss", "hint"),
    [
        ({"requests.memory": "1Gi"}, ""),
        ({"requests.nvidia.com/mig-1g.10gb": "4"}, ""),
        (
            {"limits.nvidia.com/gpu": "8"},
            " (limits.nvidia.com/gpu is named, but the API server never counts it)",
        ),
        (
            {"nvidia.com/gpu": "8"},
            " (nvidia.com/gpu is named, but the API server never counts it)",
        ),
    ],
)
def test_a_quota_that_names_something_else_is_refused_and_the_slip_is_named(
    near_miss: dict[str, str], hint: str
) -> None:
    message = (
        "namespace ml-team: no ResourceQuota limits requests.nvidia.com/gpu, so its pods may "
        f"take all there is{hint}; {FIX}"
    )
    assert judged(RULE, [TRAIN, tenant(), quota(near_miss)]) == ([("ml-team", message)], "")


@pytest.mark.parametrize(
    "scope",
    [
        {"scopes": ["BestEffort"]},
        {
            "scopeSelector": {
                "matchExpressions": [
                    {"scopeName": "PriorityClass", "operator": "In", "values": ["batch"]}
                ]
            }
        },
    ],
)
def test_a_quota_that_binds_only_some_pods_is_no_ceiling(scope: dict[str, Any]) -> None:
    hard = {"requests.nvidia.com/gpu": "8"}
    message = (
        "namespace ml-team: no ResourceQuota limits requests.nvidia.com/gpu, so its pods may "
        "take all there is (requests.nvidia.com/gpu stands in a quota with scopes, which binds "
        f"only some pods); {FIX}"
    )
    assert judged(RULE, [TRAIN, tenant(), quota(hard, scope=scope)]) == ([("ml-team", message)], "")


def test_a_quota_in_another_namespace_does_not_help() -> None:
    hard = {"requests.nvidia.com/gpu": "8"}
    violations, later = judged(RULE, [TRAIN, tenant(), quota(hard, namespace="ml-team-2")])
    assert [name for name, _ in violations] == ["ml-team"]
    assert not later


@pytest.mark.parametrize(
    "labels",
    [{}, {"gpu-cluster.io/tenants": "ml-team"}, {"kubernetes.io/metadata.name": "ml-team"}],
)
def test_a_namespace_that_is_no_tenants_needs_no_quota(labels: dict[str, str]) -> None:
    assert judged(RULE, [TRAIN, tenant(labels=labels)]) == ([], "")


def test_a_cluster_without_gpus_asks_for_nothing() -> None:
    assert judged(RULE, [GENERAL, tenant()]) == ([], "")


def test_the_configured_selector_replaces_the_label_of_ours() -> None:
    config = {"tenantSelector": {"team": "*", "stage": "prod"}}
    stack = [
        TRAIN,
        tenant("ours"),
        tenant("dev", labels={"team": "a", "stage": "dev"}),
        tenant("prod", labels={"team": "a", "stage": "prod"}),
    ]
    violations, later = judged(RULE, stack, config)
    assert [name for name, _ in violations] == ["prod"]
    assert not later


def test_without_a_pool_the_configuration_says_what_there_is() -> None:
    config = {"gpuResources": ["amd.com/gpu"]}
    violations, _ = judged(RULE, [tenant()], config)
    assert violations == [
        (
            "ml-team",
            (
                "namespace ml-team: no ResourceQuota limits requests.amd.com/gpu, so its pods may "
                f"take all there is; {FIX}"
            ),
        )
    ]
    assert judged(RULE, [tenant()], {"gpuResources": []}) == ([], "")


def test_registered_pools_are_believed_before_the_configuration() -> None:
    config = {"gpuResources": ["amd.com/gpu"]}
    hard = {"requests.nvidia.com/gpu": "8"}
    assert judged(RULE, [TRAIN, tenant(), quota(hard)], config) == ([], "")


def test_where_nothing_tells_the_gpu_resources_the_rule_says_so_instead_of_passing() -> None:
    assert judged(RULE, [tenant("b"), tenant("a")]) == (
        [
            (
                "",
                (
                    "cannot judge the namespaces a, b: the stack registers no node pool for them "
                    "and the pack's configuration names no GPU resources; fix: set "
                    "gpu-cluster.gpuResources in the file given with "
                    '--policy-pack-config, for example ["nvidia.com/gpu"] ([] for a cluster '
                    "without GPUs)"
                ),
            )
        ],
        "",
    )


def test_a_stack_without_tenants_needs_no_setting() -> None:
    assert judged(RULE, [tenant(labels={})]) == ([], "")


def test_two_clusters_of_one_stack_are_judged_apart() -> None:
    stack: list[AnalyzerResource] = []
    for cluster, gpu in (("east", "nvidia.com/gpu"), ("west", "nvidia.com/mig-1g.10gb")):
        site = resource(SITE, cluster, {})
        props = {"name": "train", "resources": {gpu: 8.0}}
        train = resource(TRAIN.type, f"{cluster}-train", props, parent=site)
        node = resource(f"{KUBERNETES}NodePatch", cluster, {}, cluster=cluster, parent=train)
        limits = {
            "metadata": {"namespace": "ml-team"},
            "spec": {"hard": {"requests.nvidia.com/gpu": "1"}},
        }
        hard = resource(f"{KUBERNETES}ResourceQuota", cluster, limits, cluster=cluster)
        stack += [site, train, node, hard, tenant(cluster=cluster)]
    message = (
        "namespace ml-team: no ResourceQuota limits requests.nvidia.com/mig-1g.10gb, so its pods "
        f"may take all there is; {FIX}"
    )
    assert judged(RULE, stack) == ([("west-ml-team", message)], "")


def test_what_a_preview_cannot_know_is_judged_after_the_update_namespace_by_namespace() -> None:
    stack = [
        TRAIN,
        tenant("labels", labels=UNKNOWN_YET),
        tenant("hard"),
        quota(UNKNOWN_YET, namespace="hard"),
        tenant("bare"),
        resource(
            f"{KUBERNETES}Namespace",
            "nameless",
            {"metadata": {"name": UNKNOWN_YET, "labels": {"gpu-cluster.io/tenant": UNKNOWN_YET}}},
        ),
    ]
    violations, later = judged(RULE, stack)
    assert [name for name, _ in violations] == ["bare"], "what is known is judged at once"
    assert later == (
        "judged after the update:"
        "\n  namespace labels: its labels are not known yet"
        "\n  namespace hard: whether the ResourceQuota hard-quota names "
        "requests.nvidia.com/gpu is not known yet"
        "\n  namespace nameless: its name in the cluster is not known yet"
    )


def test_while_the_way_to_the_cluster_is_unknown_nothing_passes_unseen() -> None:
    stack = [
        TRAIN,
        resource(f"{KUBERNETES}Namespace", "team", {}),
        tenant("other"),
        resource(f"{KUBERNETES}ResourceQuota", "team-quota", {}),
    ]
    assert judged(RULE, stack) == (
        [],
        (
            "judged after the update:"
            "\n  namespace team: its labels are not known yet"
            "\n  namespace other: whether the ResourceQuota team-quota names "
            "requests.nvidia.com/gpu is not known yet"
        ),
    )


def test_a_pool_whose_resources_are_unknown_is_not_taken_for_one_without_any() -> None:
    vague = resource(TRAIN.type, "vague", {"name": "vague", "resources": UNKNOWN_YET})
    assert judged(RULE, [vague, tenant()]) == (
        [],
        (
            "judged after the update:"
            "\n  node pool vague: which GPU resources it offers is not known yet"
        ),
    )


def test_a_quota_whose_namespace_is_unknown_may_be_anybodys() -> None:
    hard = {"requests.nvidia.com/gpu": "8"}
    violations, later = judged(RULE, [TRAIN, tenant(), quota(hard, namespace=UNKNOWN_YET)])
    assert not violations
    assert later.startswith("judged after the update:\n  namespace ml-team: whether")


def test_an_unknown_ceiling_is_a_ceiling() -> None:
    hard = {"requests.nvidia.com/gpu": UNKNOWN_YET}
    assert judged(RULE, [TRAIN, tenant(), quota(hard)]) == ([], "")


def test_no_secret_of_a_resource_or_its_provider_is_ever_read() -> None:
    one = tenant("e", cluster="e")
    one.properties.update({"data": {"token": "hush"}})
    (read,) = stack_resources([one], wanted_by([RULE]))
    assert set(read.props) == {"metadata"}
    assert "hush" not in str(read), "neither its data nor the kubeconfig of its provider"
    assert "hush" not in json.dumps(judged(RULE, [TRAIN, one]))
