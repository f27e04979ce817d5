"""Alerts must reach somebody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.reading import at, entries, fields, string
from gpu_cluster_policies.resources import SECRET, Resource
from gpu_cluster_policies.rule import Config, Fault, StackRule, Verdict, each
from gpu_cluster_policies.stack import Stack

_CHART: Final = "kube-prometheus-stack"
_OUTSIDE: Final = ("additionalAlertManagerConfigs", "additionalAlertManagerConfigsSecret")
_ROUTES: Final = "monitoring.coreos.com/AlertmanagerConfig"


def judge(stack: Stack, config: Config) -> Iterator[Verdict]:
    """Finds monitoring whose alerts end in no receiver."""
    del config
    yield from each(stack.of(*VALUES), lambda one: _judge_release(one, stack))


def _judge_release(release: Resource, stack: Stack) -> Iterator[Verdict]:
    if not is_chart(release, _CHART):
        return
    alertmanager = fields(values_of(release), "alertmanager")
    if at(alertmanager, "enabled") is False:
        prometheus = fields(values_of(release), "prometheus", "prometheusSpec")
        if not any(prometheus.get(key) for key in _OUTSIDE):
            yield Fault(release, "has no Alertmanager and names no other")
        return
    spec = fields(alertmanager, "alertmanagerSpec")
    elsewhere = (
        at(spec, "useExistingSecret") is True
        or string(spec, "configSecret")
        or string(spec, "alertmanagerConfiguration", "name")
        or at(alertmanager, "config") is SECRET
        or stack.beside(release, _ROUTES)
    )
    receivers = entries(alertmanager, "config", "receivers")
    reached = any(key.endswith("_configs") and one[key] for one in receivers for key in one)
    if not elsewhere and not reached:
        yield Fault(release, "its Alertmanager has no receiver that tells anybody")


ALERTS_WITHOUT_ROUTE: Final = StackRule(
    id="alerts-without-route",
    description="Alerts have a receiver.",
    why="The chart's own configuration sends every alert to a receiver called null: a GPU that "
    "falls off the bus is known to a dashboard and to nobody else.",
    mend="give alertmanager.config a receiver, or a Secret or AlertmanagerConfig that has one",
    severity=Severity.MEDIUM,
    tags=("operations", "monitoring"),
    reads={**VALUES, _ROUTES: ("metadata", "spec")},
    judge=judge,
)
