"""Dashboards: whatever they ask, Prometheus can be asked, and somebody exports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from made_site import made_site
from prometheus_checks import promtool, run

from pulumi_gpu_cluster.catalog.dcgm_metrics import METRICS, metrics_csv
from pulumi_gpu_cluster.monitoring import promql
from pulumi_gpu_cluster.monitoring.alerts.rule import Group, Recording
from pulumi_gpu_cluster.monitoring.alerts.volumes import volumes_given_up
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs
from pulumi_gpu_cluster.monitoring.component import groups
from pulumi_gpu_cluster.monitoring.dashboards import dashboards
from pulumi_gpu_cluster.scheduling.choice import Scheduler

SCHEDULERS: tuple[Scheduler, ...] = get_args(Scheduler)
GROUPS = groups(MonitoringArgs(), made_site().node_pools)
WITH_STORAGE = Group("volumes", (volumes_given_up(),))
RECORDED = {rule.record for group in GROUPS for rule in group.rules if isinstance(rule, Recording)}
# source: kubernetes-sigs/kueue v0.19.2 pkg/metrics, volcano-sh/volcano v1.15.1
# pkg/scheduler/metrics/queue.go, and what Prometheus writes of every target
OTHERS = {
    "kueue_admission_wait_time_seconds_bucket",
    "kueue_pending_workloads",
    "up",
    "volcano_queue_allocated_scalar_resources",
    "volcano_queue_deserved_scalar_resources",
}
STATE = {promql.QUEUE_JOBS, promql.LOCAL_QUEUE_JOBS, promql.DRIVER_STATE}
KNOWN = RECORDED | OTHERS | STATE | promql.STATE_METRICS | {metric.name for metric in METRICS}

# A name that braces, a range or a comparison may follow, and no function or label.
_METRIC = re.compile(r"\b([a-zA-Z_][a-zA-Z0-9_]*(?::[a-zA-Z0-9_:]+)?)\b(?!\s*\()")
_WORDS = {"by", "on", "unless", "or", "and", "group_left", "without", "le", "inf"}


def _boards(scheduler: Scheduler) -> dict[str, dict[str, Any]]:
    return {uid: json.loads(text) for uid, text in dashboards(scheduler).items()}


def _panels(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in board["panels"]:
        yield panel
        yield from panel.get("panels", [])


def _queries(scheduler: Scheduler) -> list[str]:
    return [
        target["expr"]
        for board in _boards(scheduler).values()
        for panel in _panels(board)
        for target in panel.get("targets", [])
    ]


def _asked(query: str) -> set[str]:
    """Names of the metrics in a query."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", query)
    bare = re.sub(r"\{[^}]*\}", "", bare)
    bare = re.sub(r"\[[^\]]*\]", "", bare)
    bare = re.sub(r"\b(by|on|group_left|without)\s*\([^)]*\)", "", bare)
    # What stands between a function's other arguments are texts, which are gone by now.
    return {name for name in _METRIC.findall(bare) if name not in _WORDS}


def test_the_names_in_a_query_are_found() -> None:
    query = 'sum by (node) (rate(a_total{b="c d"}[5m])) * on (node) group_left (pool) x:y:z > 1e9'
    assert _asked(query) == {"a_total", "x:y:z"}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_promtool_can_read_every_query(scheduler: Scheduler, tmp_path: Path) -> None:
    queries = _queries(scheduler)
    assert len(queries) > 20
    rules = [
        {"record": f"q:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(queries)
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    assert f"{len(queries)} rules found" in run(promtool(), "check", "rules", path)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_query_is_about_metrics_that_somebody_exports(scheduler: Scheduler) -> None:
    for query in _queries(scheduler):
        assert _asked(query), query
        assert _asked(query) <= KNOWN, query


def test_every_rule_is_about_metrics_that_somebody_exports() -> None:
    for group in (*GROUPS, WITH_STORAGE):
        for rule in group.rules:
            assert _asked(rule.expr) <= KNOWN, rule.expr


def test_the_state_that_we_say_to_read_is_read() -> None:
    rules = (rule for group in (*GROUPS, WITH_STORAGE) for rule in group.rules)
    asked = {name for rule in rules for name in _asked(rule.expr)}
    for scheduler in SCHEDULERS:
        asked |= {name for query in _queries(scheduler) for name in _asked(query)}
    assert asked >= promql.STATE_METRICS


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_panel_says_what_it_shows_and_none_lies_on_another(scheduler: Scheduler) -> None:
    for board in _boards(scheduler).values():
        taken: set[tuple[int, int]] = set()
        for panel in _panels(board):
            place = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not cells & taken, panel["title"]
            taken |= cells
            assert panel["type"] == "row" or panel["description"]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_query_asks_the_prometheus_that_is_there(scheduler: Scheduler) -> None:
    for board in _boards(scheduler).values():
        for panel in _panels(board):
            if panel["type"] != "row":
                assert panel["datasource"] == {"type": "prometheus", "uid": "prometheus"}
                letters = [target["refId"] for target in panel["targets"]]
                assert len(letters) == len(set(letters))


def test_dashboards_are_the_same_text_every_time() -> None:
    assert dashboards("kueue") == dashboards("kueue")


def test_the_exporters_list_has_three_columns_and_no_name_twice() -> None:
    rows = [row.split(", ") for row in metrics_csv().splitlines()]
    assert all(len(row) == 3 for row in rows)
    assert {row[1] for row in rows} == {"gauge", "counter", "label"}
    names = [row[0] for row in rows]
    assert len(names) == len(set(names))
