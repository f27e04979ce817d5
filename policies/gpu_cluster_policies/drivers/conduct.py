"""How drivers are installed and upgraded: not over a cloud's own, not under running jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.drivers.specs import (
    DRIVER,
    DRIVER_READS,
    driver_specs,
    is_installed,
)
from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.pools import NODE_POOL_READS, known_pools
from gpu_cluster_policies.reading import at, fields, string
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
from gpu_cluster_policies.settings import MANAGED, POOLS, cannot_judge
from gpu_cluster_policies.stack import Stack

_NIC_POLICIES: Final = ("mellanox.com/NicClusterPolicy", "mellanox.com/NicNodePolicy")


def _over_the_clouds(stack: Stack, config: Config) -> Iterator[Verdict]:
    yield from each(stack.of(*DRIVER_READS), lambda one: _judge_install(one, stack, config))


def _judge_install(resource: Resource, stack: Stack, config: Config) -> Iterator[Verdict]:
    for path, spec in driver_specs(resource):
        if not is_installed(resource, spec):
            continue
        managed: bool | None = config.get("managedNodes")
        pools = [one for one in known_pools(resource, stack, config) if one.driver_source]
        if managed:
            yield Fault(resource, f"{path} installs a driver, and the nodes' images bring one")
            continue
        if managed is None and not pools:
            missing = "nothing tells whether the nodes' images bring a driver"
            what = f"the driver of {resource.shown}"
            yield Violation(cannot_judge(what, missing, "managedNodes", "false"), resource.urn)
        selector = fields(spec, "nodeSelector") if resource.sort == DRIVER else fields({})
        for pool in pools:
            meets = all(pool.selector.get(key) == value for key, value in selector.items())
            if pool.driver_source != "operator" and meets:
                yield Fault(
                    resource,
                    f"{path} installs a driver on the pool {pool.name}, which has its own "
                    f"({pool.driver_source})",
                )


OPERATOR_DRIVER_ON_MANAGED_NODES: Final = StackRule(
    id="operator-driver-on-managed-nodes",
    description="The operator installs no driver on nodes whose image brings one.",
    why="Two drivers fight for the module: the driver's pod loops, and the GPUs are gone.",
    mend="set driver.enabled: false, or select other nodes",
    severity=Severity.HIGH,
    tags=("drivers", "clouds"),
    reads={**DRIVER_READS, **NODE_POOL_READS},
    judge=_over_the_clouds,
    settings={"managedNodes": dict(MANAGED), "pools": dict(POOLS)},
)


def _impatient(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for path, spec in driver_specs(resource):
        policy = fields(spec, "upgradePolicy")
        if (
            is_installed(resource, spec)
            and policy
            and at(policy, "autoUpgrade") is not False
            and not string(policy, "waitForCompletion", "podSelector")
        ):
            yield Fault(resource, f"{path}.upgradePolicy waits for no pods")


DRIVER_UPGRADE_WITHOUT_POD_SELECTOR: Final = ResourceRule(
    id="driver-upgrade-without-pod-selector",
    description="An upgrade of drivers waits for the pods that use GPUs.",
    why="With an empty selector the operator waits for nothing and goes on to delete GPU pods: "
    "the jobs of a week are gone.",
    mend="set upgradePolicy.waitForCompletion.podSelector, or autoUpgrade: false",
    severity=Severity.HIGH,
    tags=("drivers", "upgrades"),
    reads=DRIVER_READS,
    judge=_impatient,
)


def _lonely(stack: Stack, config: Config) -> Iterator[Verdict]:
    del config
    yield from each(stack.of(*DRIVER_READS), lambda one: _judge_peermem(one, stack))


def _judge_peermem(resource: Resource, stack: Stack) -> Iterator[Verdict]:
    for path, spec in driver_specs(resource):
        rdma = fields(spec, "rdma")
        if at(rdma, "enabled") is not True or at(rdma, "useHostMofed") is True:
            continue
        beside = stack.beside(resource, *_NIC_POLICIES, *VALUES)
        if not any(_brings_ofed(one) for one in beside):
            yield Fault(resource, f"{path}.rdma waits for a NIC driver that nothing here installs")


def _brings_ofed(resource: Resource) -> bool:
    if resource.sort in _NIC_POLICIES:
        return at(resource.props, "spec", "ofedDriver") is not None
    values = values_of(resource)
    return is_chart(resource, "network-operator") and bool(
        at(values, "ofedDriver", "deploy") or at(values, "nicClusterPolicy", "ofedDriver")
    )


PEERMEM_WITHOUT_OFED: Final = StackRule(
    id="peermem-without-ofed",
    description="A driver with nvidia-peermem has a NIC driver to be built against.",
    why="On nodes with such adapters the driver's pod waits for the NIC driver, and without one "
    "for ever.",
    mend="install it (ofedDriver), say useHostMofed: true, or leave rdma.enabled off: the open "
    "kernel module needs none",
    severity=Severity.HIGH,
    tags=("drivers", "network"),
    reads={**DRIVER_READS, **dict.fromkeys(_NIC_POLICIES, ("metadata", "spec"))},
    judge=_lonely,
)
