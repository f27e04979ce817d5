"""A chart's CRDs are there before it, are switched on, and outlive it unless they are given up."""

from __future__ import annotations

import pytest
from component_cases import provider_options
from recorded_graph import Graph, record

from pulumi_gpu_cluster.catalog.charts import Chart, CrdDelivery, CrdSet
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.releases import KEEP_CRDS_COMMAND, helm_release

RELEASE = "kubernetes:helm.sh/v3:Release"
HOME = "https://charts.example.org"
NAMES = ("things.example.org",)

OWN = Chart("things-crds", HOME, "1.0.0", (CrdSet(CrdDelivery.OWN_CHART, NAMES),))
USER = Chart("things", HOME, "2.0.0", crds_chart=OWN)
SWITCHED = Chart(
    "switched", HOME, "1.0.0", (CrdSet(CrdDelivery.TEMPLATES_SWITCH, NAMES, switch="crds.on"),)
)
KEEPING = Chart(
    "keeping",
    HOME,
    "1.0.0",
    (CrdSet(CrdDelivery.TEMPLATES_SWITCH, NAMES, switch="crds.on", keep_switch="crds.keep"),),
)


def _released(chart: Chart, *, keep: bool = True, **values: object) -> Graph:
    return record(
        lambda: helm_release(
            "it",
            chart,
            source=ChartsArgs(),
            namespace="home",
            values=values,
            keep_crds=keep,
            opts=provider_options("it"),
        )
    )


def test_a_chart_of_crds_is_installed_before_the_one_that_uses_them() -> None:
    graph = _released(USER, replicas=2)
    crds, user = graph.named("it-crds", RELEASE), graph.named("it", RELEASE)
    assert user.dependencies >= {crds.urn}
    assert (crds.props["name"], crds.props["version"]) == ("things-crds", "1.0.0")
    assert crds.props["namespace"] == user.props["namespace"] == "home"
    assert crds.props.get("values", {}) == {}
    assert user.props["values"] == {"replicas": 2}


@pytest.mark.parametrize("keep", [True, False])
def test_only_the_release_that_brings_crds_has_them_marked(keep: object) -> None:
    graph = _released(USER, keep=bool(keep))
    marker = KEEP_CRDS_COMMAND if keep else None
    assert graph.named("it-crds", RELEASE).props.get("postrender") == marker
    assert graph.named("it", RELEASE).props.get("postrender") is None


def test_crds_behind_a_switch_come_though_the_values_say_otherwise() -> None:
    release = _released(SWITCHED, crds={"on": False, "other": 1}).named("it", RELEASE)
    assert release.props["values"] == {"crds": {"on": True, "other": 1}}
    assert release.props["postrender"] == KEEP_CRDS_COMMAND


@pytest.mark.parametrize("keep", [True, False])
def test_a_chart_that_keeps_its_crds_itself_is_told_and_goes_through_no_command(
    keep: object,
) -> None:
    release = _released(KEEPING, keep=bool(keep)).named("it", RELEASE)
    assert release.props["values"] == {"crds": {"on": True, "keep": keep}}
    assert release.props.get("postrender") is None
