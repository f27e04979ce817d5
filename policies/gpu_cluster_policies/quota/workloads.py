"""Workloads that ask for GPUs: by limits, and through a queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, WORKLOADS, namespace_of
from gpu_cluster_policies.pools import is_gpu
from gpu_cluster_policies.quota.kueue import CLUSTER_QUEUE, LOCAL_QUEUE
from gpu_cluster_policies.quota.volcano import QUEUE
from gpu_cluster_policies.reading import Fields, amount, fields, string, walk
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import (
    Config,
    Fault,
    ResourceRule,
    StackRule,
    Verdict,
    Violation,
    each,
)
from gpu_cluster_policies.settings import NAMESPACES, SCHEDULER, cannot_judge, is_platform
from gpu_cluster_policies.stack import Stack

_QUEUE_KEYS: Final = frozenset(
    {
        "kueue.x-k8s.io/queue-name",
        "scheduling.volcano.sh/queue-name",
        "volcano.sh/queue-name",
        "kai.scheduler/queue",
    }
)
# Their jobs name the queue, not they themselves.
_TEMPLATES: Final = frozenset(
    {"trainer.kubeflow.org/ClusterTrainingRuntime", "trainer.kubeflow.org/TrainingRuntime"}
)


def _demands(resource: Resource) -> Iterator[tuple[str, Fields]]:
    """Every `resources:` of containers, in specs and in values, and where it stands."""
    for top in ("spec", "values"):
        for path, key, found in walk(fields(resource.props, top), top):
            if key == "resources" and isinstance(found, Mapping):
                yield path, cast("Fields", found)


def _gpus(demand: Fields) -> set[str]:
    return {
        name
        for part in ("requests", "limits")
        for name, count in fields(demand, part).items()
        if is_gpu(name) and amount(count) != 0
    }


def _unequal(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, demand in _demands(resource):
        requests, limits = fields(demand, "requests"), fields(demand, "limits")
        for name in sorted(_gpus(demand)):
            if name not in limits:
                yield Fault(resource, f"{path} requests {name} and has no limit of it")
            elif name in requests and amount(requests[name]) != amount(limits[name]):
                yield Fault(
                    resource,
                    f"{path} requests {string(requests, name)} {name} with a limit of "
                    f"{string(limits, name)}",
                )


GPU_REQUEST_WITHOUT_LIMIT: Final = ResourceRule(
    id="gpu-request-without-limit",
    description="A container that asks for GPUs has the same number as limit.",
    why="GPUs cannot be overcommitted: the API server refuses the pods, so a controller is there "
    "and its pods never are.",
    mend="write the number under limits; requests may be left out",
    severity=Severity.HIGH,
    tags=("quota", "workloads"),
    reads={**WORKLOADS, **VALUES},
    judge=_unequal,
)


def _unqueued(stack: Stack, config: Config) -> Iterator[Verdict]:
    workloads = stack.of(*(sort for sort in (*WORKLOADS, *VALUES) if sort not in _TEMPLATES))
    yield from each(workloads, lambda one: _judge_workload(one, stack, config))


def _judge_workload(workload: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    wanted = {name for _, demand in _demands(workload) for name in _gpus(demand)}
    namespace = namespace_of(workload)
    if not wanted or is_platform(namespace, config) or _names_a_queue(workload):
        return
    local = stack.beside(workload, LOCAL_QUEUE)
    if any(
        string(one.props, "metadata", "name") == "default" and namespace_of(one) == namespace
        for one in local
    ):
        return  # Kueue gives it to what names none.
    queued = bool(local or stack.beside(workload, CLUSTER_QUEUE, QUEUE))
    scheduler = "here" if queued else config.get("scheduler")
    asks = f"asks for {', '.join(sorted(wanted))}"
    if scheduler is None:
        missing = f"it {asks} outside any queue, and nothing tells whether there are queues"
        yield Violation(cannot_judge(workload.shown, missing, "scheduler", '"none"'), workload.urn)
    elif scheduler != "none":
        yield Fault(workload, f"{asks} and names no queue")


def _names_a_queue(workload: Resource) -> bool:
    if workload.sort == "batch.volcano.sh/Job" and string(workload.props, "spec", "queue"):
        return True
    return any(key in _QUEUE_KEYS for _, key, _ in walk(workload.props))


GPU_WORKLOAD_WITHOUT_QUEUE: Final = StackRule(
    id="gpu-workload-without-queue",
    description="Where GPUs are given out by queues, a workload that asks for some names its own.",
    why="What goes past the queues takes GPUs that they have promised: both are admitted, and the "
    "one that came first keeps them.",
    mend="label it kueue.x-k8s.io/queue-name, or give its pods Volcano's queue annotation and "
    "scheduler",
    severity=Severity.HIGH,
    tags=("quota", "workloads"),
    reads={
        **dict.fromkeys((*WORKLOADS, LOCAL_QUEUE, CLUSTER_QUEUE, QUEUE), ("metadata", "spec")),
        **VALUES,
    },
    judge=_unqueued,
    settings={"scheduler": dict(SCHEDULER), "exemptNamespaces": dict(NAMESPACES)},
)
