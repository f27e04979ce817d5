"""Whole programs before the pack: what they register, judged as the engine would have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.struct_pb2 import Struct
from policy_stack import CONTEXT, request_about
from pulumi.runtime.proto import analyzer_pb2 as proto
from recorded_graph import Registered, record

from gpu_cluster_policies import RULES
from gpu_cluster_policies.analyzer import Analyzer
from gpu_cluster_policies.settings import SHARED


def findings(
    program: Callable[[], object], config: dict[str, dict[str, Any]] | None = None
) -> list[tuple[str, str]]:
    """Every violation of a program under the strict set, as rule and message.

    Args:
        program: Makes resources.
        config: The pack's configuration: settings by rule.
    """
    graph = record(program)
    outputs = dict(graph.outputs)
    providers = {one.urn: one for one in graph.resources if one.type.startswith("pulumi:providers")}
    analyzer = configured(config or {})
    told: list[proto.AnalyzeDiagnostic] = []
    stack: list[proto.AnalyzerResource] = []
    for one in graph.resources:
        inputs = _resource(one, dict(one.wire), providers)
        told += analyzer.Analyze(request_about(inputs), CONTEXT).diagnostics
        left = outputs.get(one.urn)
        stack.append(_resource(one, dict(one.wire if left is None else left), providers))
    request = proto.AnalyzeStackRequest(resources=stack)
    told += analyzer.AnalyzeStack(request, CONTEXT).diagnostics
    return [(one.policyName, one.message.partition("\n")[2]) for one in told]


def configured(config: dict[str, dict[str, Any]]) -> Analyzer:
    """The pack under the strict set, with settings."""
    analyzer = Analyzer(RULES)
    given: dict[str, proto.PolicyConfig] = {}
    for name in (SHARED, *(rule.id for rule in RULES)):
        settings = Struct()
        settings.update(config.get(name, {}))
        given[name] = proto.PolicyConfig(enforcementLevel=proto.MANDATORY, properties=settings)
    analyzer.Configure(proto.ConfigureAnalyzerRequest(policyConfig=given), CONTEXT)
    return analyzer


def _resource(
    one: Registered, props: dict[str, Any], providers: dict[str, Registered]
) -> proto.AnalyzerResource:
    made = proto.AnalyzerResource(
        type=one.type,
        urn=one.urn,
        name=one.name,
        parent=one.parent,
        options=proto.AnalyzerResourceOptions(protect=one.protect),
    )
    made.properties.update(props)
    provider = providers.get(one.provider)
    if provider is not None:
        made.provider.type, made.provider.urn = provider.type, provider.urn
        made.provider.properties.update(dict(provider.wire))
    return made
