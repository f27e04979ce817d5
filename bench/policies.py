"""How long the pack takes for a stack of many resources, as the engine asks it.

The engine's own work stands on both sides of the comparison, so only what the pack adds is
measured: one question about each resource over a real connection, and one about the stack.
"""

from __future__ import annotations

import time
from concurrent import futures
from typing import Any

import grpc
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc as service

from gpu_cluster_policies import RULES
from gpu_cluster_policies.analyzer import Analyzer

_NO_LIMIT = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))


def stack(size: int) -> list[proto.AnalyzerResource]:
    """Resources as a large site has them: tenants with quotas, workloads, nodes, settings."""
    makers = (_namespace, _quota, _deployment, _node, _config_map)
    return [_made(*makers[number % len(makers)](number // len(makers))) for number in range(size)]


def seconds(size: int, rules: Any = RULES) -> float:
    """What the pack takes to judge a stack of that size.

    Args:
        size: How many resources.
        rules: The rules; none for the protocol alone.
    """
    resources = stack(size)
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=_NO_LIMIT)
    service.add_AnalyzerServicer_to_server(Analyzer(rules), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    requests = [
        proto.AnalyzeRequest(type=one.type, urn=one.urn, name=one.name, properties=one.properties)
        for one in resources
    ]
    whole = proto.AnalyzeStackRequest(resources=resources)
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=_NO_LIMIT) as channel:
        asked = service.AnalyzerStub(channel)
        asked.Analyze(requests[0])
        started = time.perf_counter()
        for request in requests:
            asked.Analyze(request)
        asked.AnalyzeStack(whole)
        took = time.perf_counter() - started
    server.stop(None)
    return took


def _made(token: str, name: str, props: dict[str, Any]) -> proto.AnalyzerResource:
    urn = f"urn:pulumi:bench::gpu-cluster::{token}::{name}"
    made = proto.AnalyzerResource(type=token, urn=urn, name=name)
    made.properties.update(props)
    return made


def _namespace(number: int) -> tuple[str, str, dict[str, Any]]:
    labels = {
        "gpu-cluster.io/tenant": f"t{number}",
        "pod-security.kubernetes.io/enforce": "restricted",
    }
    metadata = {"name": f"t{number}", "labels": labels}
    return "kubernetes:core/v1:Namespace", f"namespace-{number}", {"metadata": metadata}


def _quota(number: int) -> tuple[str, str, dict[str, Any]]:
    metadata = {"name": "quota", "namespace": f"t{number}"}
    hard = {"requests.nvidia.com/gpu": "8", "requests.memory": "64Gi", "pods": "100"}
    props = {"metadata": metadata, "spec": {"hard": hard}}
    return "kubernetes:core/v1:ResourceQuota", f"quota-{number}", props


def _deployment(number: int) -> tuple[str, str, dict[str, Any]]:
    container = {
        "name": "main",
        "image": "registry.example.org/team/app:1.4.2",
        "env": [{"name": f"SETTING_{index}", "value": "value"} for index in range(8)],
        "resources": {"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": "4"}},
        "ports": [{"containerPort": 8080}],
    }
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "replicas": 2, "template": template}
    metadata = {"name": f"app-{number}", "namespace": f"t{number}"}
    props = {"metadata": metadata, "spec": spec}
    return "kubernetes:apps/v1:Deployment", f"app-{number}", props


def _node(number: int) -> tuple[str, str, dict[str, Any]]:
    labels = {"gpu-cluster.io/pool": "train", "gpu-cluster.io/rack": "a"}
    metadata = {"name": f"gpu{number}", "labels": labels}
    return "kubernetes:core/v1:NodePatch", f"gpu{number}", {"metadata": metadata}


def _config_map(number: int) -> tuple[str, str, dict[str, Any]]:
    data = {"settings.yaml": "a: 1\nb: two\nc: [1, 2, 3]\n" * 8, "mode": "fast"}
    props = {"metadata": {"name": "settings", "namespace": f"t{number}"}, "data": data}
    return "kubernetes:core/v1:ConfigMap", f"settings-{number}", props
