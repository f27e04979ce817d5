"""What all dashboards here look like: their frame, and the few kinds of panels they have."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Final

from grafana_foundation_sdk.builders import common as common_builder
from grafana_foundation_sdk.builders import stat, timeseries
from grafana_foundation_sdk.builders.dashboard import (
    Dashboard,
    QueryVariable,
    ThresholdsConfig,
)
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common, dashboard

# source: prometheus-community/helm-charts kube-prometheus-stack-88.5.3 values.yaml,
# grafana.sidecar.datasources.uid
_DATASOURCE: Final = common.DataSourceRef(type_val="prometheus", uid="prometheus")
_TAG: Final = "gpu-cluster"
_ROW: Final = 24
_HEIGHT: Final = 8
_STAT_HEIGHT: Final = 4


def frame(uid: str, title: str, description: str) -> Dashboard:
    """An empty dashboard. Nobody edits it in Grafana: what is shown is what the code says."""
    return (
        Dashboard(title)
        .uid(uid)
        .description(description)
        .tags([_TAG])
        .readonly()
        .tooltip(dashboard.DashboardCursorSync.CROSSHAIR)
        .refresh("1m")
        .time("now-6h", "now")
        .timezone(common.TimeZoneBrowser)
    )


def choice(name: str, title: str, metric: str) -> QueryVariable:
    """A variable with the values that a label of that name has on a metric; all at first."""
    return (
        QueryVariable(name)
        .label(title)
        .datasource(_DATASOURCE)
        .query(f"label_values({metric}, {name})")
        .refresh(dashboard.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(dashboard.VariableSort.ALPHABETICAL_ASC)
        .multi(multi=True)
        .include_all(include_all=True)
        .all_value(".*")
    )


def curves(
    title: str,
    description: str,
    queries: Mapping[str, str],
    *,
    unit: str = "short",
    columns: int = 2,
    highest: float | None = None,
    stacked: bool = False,
) -> timeseries.Panel:
    """Values over time.

    Args:
        title: The panel's title.
        description: What is seen there, for who looks at it the first time.
        queries: Queries by their legend, which may name labels: {{node}}.
        unit: Grafana's id of the unit.
        columns: How many such panels stand side by side.
        highest: The top of the scale, where there is one.
        stacked: Whether the curves add up.
    """
    panel = (
        timeseries.Panel()
        .title(title)
        .description(description)
        .datasource(_DATASOURCE)
        .unit(unit)
        .min(0)
        .span(_ROW // columns)
        .height(_HEIGHT)
        .legend(
            common_builder.VizLegendOptions()
            .display_mode(common.LegendDisplayMode.TABLE)
            .placement(common.LegendPlacement.RIGHT)
            .show_legend(show_legend=True)
            .calcs(["mean", "max"])
        )
        .tooltip(
            common_builder.VizTooltipOptions()
            .mode(common.TooltipDisplayMode.MULTI)
            .sort(common.SortOrder.DESCENDING)
        )
    )
    if highest is not None:
        panel = panel.max(highest)
    if stacked:
        mode = common_builder.StackingConfig().mode(common.StackingMode.NORMAL).group("A")
        panel = panel.stacking(mode).fill_opacity(20)
    for letter, (legend, query) in zip(ascii_uppercase, queries.items(), strict=False):
        panel = panel.with_target(_query(query, legend, letter))
    return panel


def number(
    title: str,
    description: str,
    query: str,
    *,
    unit: str = "short",
    columns: int = 4,
    red_from: float | None = None,
) -> stat.Panel:
    """One number, as it is now.

    Args:
        title: The panel's title.
        description: What it counts.
        query: The query, which yields one series.
        unit: Grafana's id of the unit.
        columns: How many such panels stand side by side.
        red_from: The value from which it is red.
    """
    steps = [dashboard.Threshold(value=None, color="green")]
    if red_from is not None:
        steps.append(dashboard.Threshold(value=red_from, color="red"))
    return (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(_DATASOURCE)
        .unit(unit)
        .span(_ROW // columns)
        .height(_STAT_HEIGHT)
        .no_value("0")
        .graph_mode(common.BigValueGraphMode.AREA)
        .reduce_options(common_builder.ReduceDataOptions().calcs(["lastNotNull"]))
        .thresholds(ThresholdsConfig().mode(dashboard.ThresholdsMode.ABSOLUTE).steps(steps))
        .with_target(_query(query))
    )


def as_json(board: Dashboard) -> str:
    """The dashboard as Grafana reads it, the same text for the same dashboard."""
    return JSONEncoder(sort_keys=True, indent=1).encode(board.build())


def _query(expr: str, legend: str = "", letter: str = "A") -> Dataquery:
    return Dataquery().expr(expr).legend_format(legend).range().ref_id(letter)
