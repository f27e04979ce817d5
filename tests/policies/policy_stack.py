"""Resources as the engine sends them to the pack, made of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from gpu_cluster_policies.analyzer import Analyzer
from gpu_cluster_policies.rule import ResourceRule, StackRule
from pulumi_gpu_cluster.node_pools.props import NODE_POOL_TYPE

UNKNOWN_YET = UNKNOWN_STRING_VALUE
"""What the engine sends in a preview for a value that it cannot know."""

KUBERNETES = "kubernetes:core/v1:"
RELEASE = "kubernetes:helm.sh/v3:Release"
PROVIDER = "pulumi:providers:kubernetes"
SITE = "gpu-cluster:index:GpuCluster"
CONTEXT: Any = None


def secret(value: object) -> dict[str, object]:
    """A value as the engine marks it when the program said that it is a secret."""
    return {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "value": value,
    }


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:lab::gpu-cluster::{token}::{name}"


def resource(  # noqa: PLR0913 - a resource has as many parts
    token: str,
    name: str,
    props: dict[str, Any],
    *,
    cluster: str = "",
    parent: proto.AnalyzerResource | None = None,
    protect: bool = False,
) -> proto.AnalyzerResource:
    """One resource; `cluster` is the clusterIdentifier of its provider."""
    made = proto.AnalyzerResource(
        type=token,
        urn=urn(token, name),
        name=name,
        parent=parent.urn if parent is not None else "",
        options=proto.AnalyzerResourceOptions(protect=protect),
    )
    made.properties.update(props)
    if cluster:
        made.provider.type, made.provider.name = PROVIDER, cluster
        made.provider.urn = urn(PROVIDER, cluster)
        made.provider.properties.update({"clusterIdentifier": cluster, "kubeconfig": "token: hush"})
    return made


def manifest(  # noqa: PLR0913 - a resource has as many parts
    kind: str,
    name: str,
    *,
    namespace: str = "",
    labels: dict[str, str] | None = None,
    cluster: str = "",
    protect: bool = False,
    **top: Any,
) -> proto.AnalyzerResource:
    """An object of Kubernetes; `kind` is its token without `kubernetes:`."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels is not None:
        metadata["labels"] = labels
    props = {"metadata": metadata, **top}
    return resource(f"kubernetes:{kind}", name, props, cluster=cluster, protect=protect)


def release(  # noqa: PLR0913 - a release has as many parts
    chart: str,
    values: dict[str, Any] | None = None,
    *,
    name: str = "",
    namespace: str = "",
    version: str = "1.2.3",
    cluster: str = "",
) -> proto.AnalyzerResource:
    """A release of Helm."""
    props = {
        "chart": chart,
        "values": values or {},
        "namespace": namespace or chart,
        "version": version,
    }
    return resource(RELEASE, name or chart, props, cluster=cluster)


def pool(
    name: str,
    resources: dict[str, float] | None = None,
    *,
    gpu: str | None = None,
    layout: str | None = None,
    **more: Any,
) -> proto.AnalyzerResource:
    props: dict[str, Any] = {
        "name": name,
        "resources": resources or {},
        "selector": {"gpu-cluster.io/pool": name},
        **more,
    }
    if gpu is not None:
        props["gpu"] = {"model": gpu, "count": 8.0}
    if layout is not None:
        props["mig"] = {"layout": layout, "strategy": "mixed"}
    return resource(NODE_POOL_TYPE, name, props)


def judged(
    rule: ResourceRule | StackRule,
    resources: Sequence[proto.AnalyzerResource],
    config: dict[str, Any] | None = None,
) -> tuple[list[tuple[str, str]], str]:
    """Asks a rule as the engine does.

    Returns:
        Each violation as the name of its resource ("" for the stack) and its message; and what
        is judged after the update, as the engine would print it.
    """
    analyzer = Analyzer([rule])
    settings = Struct()
    settings.update(config or {})
    given = proto.PolicyConfig(enforcementLevel=proto.MANDATORY, properties=settings)
    analyzer.Configure(proto.ConfigureAnalyzerRequest(policyConfig={rule.id: given}), CONTEXT)
    told = asked(analyzer, rule, resources)
    violations: list[tuple[str, str]] = []
    later = ""
    for one in told:
        message = one.message.removeprefix(f"{rule.description}\n")
        if one.enforcementLevel == proto.ADVISORY:
            later += message
        else:
            violations.append((one.urn.rpartition("::")[2], message))
    return violations, later


def asked(
    analyzer: Analyzer,
    rule: ResourceRule | StackRule,
    resources: Sequence[proto.AnalyzerResource],
) -> list[proto.AnalyzeDiagnostic]:
    """Everything the pack says: about each resource, or about the stack."""
    if isinstance(rule, StackRule):
        request = proto.AnalyzeStackRequest(resources=resources)
        return list(analyzer.AnalyzeStack(request, CONTEXT).diagnostics)
    return [
        diagnostic
        for one in resources
        for diagnostic in analyzer.Analyze(request_about(one), CONTEXT).diagnostics
    ]


def request_about(one: proto.AnalyzerResource) -> proto.AnalyzeRequest:
    """How the engine asks about one resource."""
    return proto.AnalyzeRequest(
        type=one.type, urn=one.urn, name=one.name, properties=one.properties, options=one.options
    )


def found(
    rule: ResourceRule | StackRule,
    *resources: proto.AnalyzerResource,
    **config: Any,
) -> list[str]:
    """The messages of a rule that judges at once."""
    violations, later = judged(rule, list(resources), config)
    assert not later, later
    return [message for _, message in violations]


def faults(
    rule: ResourceRule | StackRule,
    resources: Sequence[proto.AnalyzerResource],
    config: dict[str, Any] | None = None,
) -> list[str]:
    """What a rule finds wrong, without the way out, which every finding must have."""
    messages = found(rule, *resources, **(config or {}))
    assert all("; fix: " in message for message in messages), messages
    return [message.partition("; fix: ")[0] for message in messages]
