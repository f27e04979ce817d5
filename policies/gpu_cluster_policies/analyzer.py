"""The pack as the engine sees it: every rule a policy of its own, every resource read once.

pulumi_policy decodes each resource again for every policy and hands secrets over in plain text.
This servicer speaks the same protocol: it decodes a resource once, only the properties that some
rule reads, leaves secrets undecoded, and gives each rule its settings beside the shared ones.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent import futures
from typing import Final

import grpc
from google.protobuf import json_format
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc as service
from pulumi.runtime.proto.plugin_pb2 import PluginInfo
from pulumi_policy import EnforcementLevel, Severity

from gpu_cluster_policies.decoding import decoded, stack_resources
from gpu_cluster_policies.resources import Resource, sort_of
from gpu_cluster_policies.rule import (
    Config,
    Later,
    ResourceRule,
    Rule,
    StackRule,
    put_off,
    verdicts,
)
from gpu_cluster_policies.settings import SHARED, SHARED_SETTINGS
from gpu_cluster_policies.stack import Stack

PACK: Final = "gpu-cluster"
VERSION: Final = "0.1.0"
_LEVELS: Final = {
    EnforcementLevel.ADVISORY: proto.ADVISORY,
    EnforcementLevel.MANDATORY: proto.MANDATORY,
}
_SEVERITIES: Final = {
    Severity.LOW: proto.POLICY_SEVERITY_LOW,
    Severity.MEDIUM: proto.POLICY_SEVERITY_MEDIUM,
    Severity.HIGH: proto.POLICY_SEVERITY_HIGH,
    Severity.CRITICAL: proto.POLICY_SEVERITY_CRITICAL,
}
_NO_LIMIT: Final = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))


def wanted_by(rules: Iterable[Rule]) -> Mapping[str, frozenset[str]]:
    """The properties that some of these rules read, by sort of resource."""
    found: dict[str, set[str]] = {}
    for rule in rules:
        for sort, names in rule.reads.items():
            found.setdefault(sort, set()).update(names)
    return {sort: frozenset(names) for sort, names in found.items()}


class Analyzer(service.AnalyzerServicer):
    """Answers the engine for all rules."""

    def __init__(self, rules: Sequence[ResourceRule | StackRule]) -> None:
        """Sorts the rules by what they judge.

        Args:
            rules: The pack's rules.
        """
        self._rules = tuple(rules)
        self._stack_rules = tuple(rule for rule in rules if isinstance(rule, StackRule))
        self._of_stack = wanted_by(self._stack_rules)
        resource_rules = [rule for rule in rules if isinstance(rule, ResourceRule)]
        self._of_resource = wanted_by(resource_rules)
        self._by_sort = {
            sort: tuple(rule for rule in resource_rules if sort in rule.reads)
            for sort in self._of_resource
        }
        self._levels = {rule.id: _LEVELS[rule.level] for rule in rules}
        self._config: dict[str, Config] = {}

    def Analyze(
        self, request: proto.AnalyzeRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """Judges a resource before the engine touches it."""
        sort = sort_of(request.type)
        response = proto.AnalyzeResponse()
        if sort in self._of_resource:
            resource = Resource(
                request.urn,
                request.type,
                decoded(request.properties, self._of_resource[sort]),
                protect=request.options.protect,
            )
            for rule in self._by_sort[sort]:
                self._judge(rule, resource, response)
        return response

    def AnalyzeStack(
        self, request: proto.AnalyzeStackRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzeResponse:
        """Judges the stack when all steps are done."""
        response = proto.AnalyzeResponse()
        stack = Stack(stack_resources(request.resources, self._of_stack))
        for rule in self._stack_rules:
            self._judge(rule, stack, response)
        return response

    def _judge(
        self,
        rule: ResourceRule | StackRule,
        subject: Resource | Stack,
        response: proto.AnalyzeResponse,
    ) -> None:
        level = self._levels[rule.id]
        if level == proto.DISABLED:
            return
        own = self._config.get(rule.id, {})
        today = dt.datetime.now(dt.UTC).date().isoformat()
        config = {"asOf": today, **self._config.get(SHARED, {}), **own}
        later: list[Later] = []
        for verdict in verdicts(rule, subject, config):
            if isinstance(verdict, Later):
                later.append(verdict)
            else:
                self._report(response, rule, level, verdict.message, verdict.urn)
        if later:
            # Never blocks: the update itself will know and judge.
            self._report(response, rule, proto.ADVISORY, put_off(later), "")

    def _report(
        self,
        response: proto.AnalyzeResponse,
        rule: Rule,
        level: proto.EnforcementLevel.ValueType,
        message: str,
        urn: str,
    ) -> None:
        response.diagnostics.append(
            proto.AnalyzeDiagnostic(
                policyName=rule.id,
                policyPackName=PACK,
                policyPackVersion=VERSION,
                description=rule.description,
                message=f"{rule.description}\n{message}",
                enforcementLevel=level,
                urn=urn,
                severity=_SEVERITIES[rule.severity],
            )
        )

    def Remediate(
        self, request: proto.AnalyzeRequest, context: grpc.ServicerContext
    ) -> proto.RemediateResponse:
        """Mends nothing: what is wrong is for people to decide."""
        return proto.RemediateResponse()

    def GetAnalyzerInfo(self, request: Empty, context: grpc.ServicerContext) -> proto.AnalyzerInfo:
        """Tells the engine of every rule, and of the settings that they share."""
        info = proto.AnalyzerInfo(name=PACK, version=VERSION, supportsConfig=True)
        shared = info.policies.add(
            name=SHARED,
            description="Facts about the clusters, and settings that all rules share.",
            enforcementLevel=proto.ADVISORY,
            policy_type=proto.POLICY_TYPE_STACK,
        )
        shared.configSchema.properties.update(dict(SHARED_SETTINGS))
        for rule in self._rules:
            told = info.policies.add(
                name=rule.id,
                description=rule.description,
                enforcementLevel=_LEVELS[rule.level],
                severity=_SEVERITIES[rule.severity],
                tags=rule.tags,
                remediation_steps=rule.mend,
                policy_type=proto.POLICY_TYPE_RESOURCE
                if isinstance(rule, ResourceRule)
                else proto.POLICY_TYPE_STACK,
            )
            told.configSchema.properties.update(rule.schema)
        return info

    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> PluginInfo:
        """The pack's version."""
        return PluginInfo(version=VERSION)

    def Configure(
        self, request: proto.ConfigureAnalyzerRequest, context: grpc.ServicerContext
    ) -> Empty:
        """Takes the levels and settings that the engine made of the user's file and our own."""
        for name, given in request.policyConfig.items():
            self._config[name] = json_format.MessageToDict(given.properties)
            if name in self._levels:
                self._levels[name] = given.enforcementLevel
        return Empty()

    def ConfigureStack(
        self, request: proto.AnalyzerStackConfigureRequest, context: grpc.ServicerContext
    ) -> proto.AnalyzerStackConfigureResponse:
        """Which stack it is makes no difference to any rule."""
        return proto.AnalyzerStackConfigureResponse()


def serve(rules: Sequence[ResourceRule | StackRule]) -> None:
    """Answers the engine until it ends this process; prints the port as the engine expects.

    Args:
        rules: The pack's rules.
    """
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=_NO_LIMIT)
    service.add_AnalyzerServicer_to_server(Analyzer(rules), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    try:
        server.wait_for_termination()
    except KeyboardInterrupt:
        server.stop(0)
