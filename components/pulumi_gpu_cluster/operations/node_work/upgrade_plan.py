"""What `pulumi up` would do to the drivers of each pool, told before anything is touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pulumi_gpu_cluster.catalog.versions import GPU_OPERATOR
from pulumi_gpu_cluster.gpu_operator.wanted_drivers import driver_spec
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.operations.api_server import ApiServer, Kind, NotThereError
from pulumi_gpu_cluster.operations.node_work.driver_sight import Sight, look_at
from pulumi_gpu_cluster.operations.node_work.driver_spec import in_order
from pulumi_gpu_cluster.operations.node_work.gate_record import labels_of
from pulumi_gpu_cluster.operations.node_work.hold import gpu_pods
from pulumi_gpu_cluster.wording import listed

_DEPLOYMENT: Final = Kind("apps", "v1", "Deployment", "deployments")
_OPERATOR: Final = "gpu-operator"
# source: NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/templates/_helpers.tpl
_VERSION_LABEL: Final = "app.kubernetes.io/version"


@dataclass(frozen=True, slots=True)
class NodeStep:
    """One node of a wave.

    Attributes:
        name: Its name.
        canary: Whether it is one of those that go first.
        before: The driver that it has; empty where nobody has looked or it has none.
        pods: Pods that hold its GPUs now, as namespace/name.
    """

    name: str
    canary: bool = False
    before: str = ""
    pods: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PoolSteps:
    """What happens to one pool.

    Attributes:
        pool: Its name.
        version: The driver that it is to have.
        waves: The waves, canaries first.
        notes: What else is to be known.
    """

    pool: str
    version: str
    waves: Sequence[Sequence[NodeStep]]
    notes: Sequence[str]


def operator_step(access: ApiServer | None, namespace: str) -> str:
    """What happens to the operator itself, which comes before all drivers."""
    if access is None:
        return f"becomes {GPU_OPERATOR}, if it is another one"
    try:
        deployment = access.persist(
            lambda: access.get(_DEPLOYMENT, _OPERATOR, namespace), "read the GPU Operator"
        )
    except NotThereError:
        return f"is installed: {GPU_OPERATOR}"
    there = labels_of(deployment).get(_VERSION_LABEL)
    if not there:
        return f"becomes {GPU_OPERATOR}, if it is another one: its Deployment does not say"
    if there == GPU_OPERATOR:
        return f"stays {GPU_OPERATOR}"
    return (
        f"{there} becomes {GPU_OPERATOR}, before any driver; driver pods that it changes are "
        "replaced after the jobs on their nodes, a wave's number at a time"
    )


def pool_steps(access: ApiServer | None, pool: NodePoolArgs, namespace: str) -> PoolSteps | None:
    """What happens to a pool; None for one without GPUs.

    Args:
        access: The cluster; None to assume that every node has another driver.
        pool: The pool.
        namespace: Namespace of the GPU Operator.

    Raises:
        AccessError: The API server refuses or cannot be reached.
    """
    if pool.gpu is None or pool.driver is None:
        return None
    spec = driver_spec(pool, namespace)
    version = pool.driver.version or ""
    if spec is None:
        return PoolSteps(pool.name, version, (), [_not_led(pool)])
    if access is None:
        waves = spec.waves(pool.node_names, pool.size)
        steps = [[NodeStep(name, name in spec.canary) for name in wave] for wave in waves]
        return PoolSteps(pool.name, version, steps, ["assumed: every node has another driver"])
    sights = {sight.name: sight for sight in look_at(access, pool.name, namespace)}
    to_come = {name: sight for name, sight in sights.items() if _is_to_come(sight, version)}
    begun = {name for name, sight in to_come.items() if _has_begun(sight)}
    waves = spec.waves(set(to_come) - begun, len(sights))
    steps = [
        [
            NodeStep(name, name in spec.canary, to_come[name].running, gpu_pods(access, name))
            for name in wave
        ]
        for wave in waves
    ]
    return PoolSteps(pool.name, version, steps, _notes(pool, version, sights, begun))


def _is_to_come(sight: Sight, version: str) -> bool:
    if sight.is_kept_by_others:
        return False
    return sight.record is not None or sight.running not in ("", version)


def _has_begun(sight: Sight) -> bool:
    return sight.record is not None and sight.record.state != "held"


def _notes(
    pool: NodePoolArgs, version: str, sights: Mapping[str, Sight], begun: Collection[str]
) -> list[str]:
    """What is special about nodes: who is under way, left alone, new, or not there."""
    kept = [one.name for one in sights.values() if one.is_kept_by_others]
    bare = [one.name for one in sights.values() if not one.running and one.record is None]
    failed = {one.name: one.record for one in sights.values() if one.record is not None}
    missing = [name for name in pool.node_names if name not in sights]
    told: list[tuple[Collection[str], str]] = [
        (begun, "under way from an earlier run; the next wave waits for that"),
        (kept, "left alone: somebody else set the label nvidia.com/gpu-driver-upgrade.skip"),
        (bare, f"without a driver that anybody knows of: {version} comes at once"),
        (missing, "not in the cluster under the pool's label"),
    ]
    notes = [f"{listed(in_order(names))}: {what}" for names, what in told if names]
    return notes + [
        f"{name}: failed in an earlier run: {record.reason}"
        for name, record in failed.items()
        if record.state == "failed"
    ]


def _not_led(pool: NodePoolArgs) -> str:
    source: Any = pool.driver.source if pool.driver is not None else ""
    if source != "operator":
        return f"the driver comes from {source}: nothing is upgraded by us"
    if pool.workload == "slurm":
        return "by hand: drain each node in Slurm, delete its driver pod"
    return "by the GPU Operator, one node at a time: nodes found by a selector are not touched"
