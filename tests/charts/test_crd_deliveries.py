"""The ways in which CRDs travel, shown by a small made-up chart."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from gpu_cluster_sandbox.charts.catalogue import Source, StandIn
from gpu_cluster_sandbox.charts.facts import ChartFacts, Dependency
from gpu_cluster_sandbox.charts.render import chart_files
from pulumi_gpu_cluster.catalog.charts import Chart, CrdDelivery, CrdSet, merged_values

NAME = "things.example.org"
CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": NAME, "annotations": {"api-approved.kubernetes.io": "yes"}},
    "spec": {"group": "example.org"},
}
STAND_IN = StandIn(source=Source("charts/made-up"), workloads=())
BUNDLED = (Dependency("inner", "2"),)


def chart(*crds: CrdSet) -> Chart:
    return Chart("made-up", "https://charts.example.org", "1.0.0", crds)


def files(crd_set: CrdSet) -> dict[str, str]:
    facts = ChartFacts("1.0.0", "1.0.0", {"global": "map"}, BUNDLED, ("inner",))
    crds = {"": [], crd_set.subchart: [CRD]}
    return chart_files(chart(crd_set), STAND_IN, facts, crds)


def switched(**changes: Any) -> CrdSet:
    wanted: dict[str, Any] = {"switch": "crds.enabled", **changes}
    return CrdSet(CrdDelivery.TEMPLATES_SWITCH, (NAME,), **wanted)


def rendered(template: str, *, on: bool, kept: bool) -> str:
    """The template as Helm would render it, for the few expressions that these CRDs hold."""
    told = re.sub(
        r'\s*\{\{- if dig "crds" "keep" false .Values.AsMap }}(.*?)\s*\{\{- end }}',
        r"\1" if kept else "",
        template,
        count=1,
        flags=re.DOTALL,
    )
    block = re.fullmatch(
        r'\{\{- if dig "crds" "enabled" false .Values.AsMap }}\n(.*)\{\{- end }}\n', told, re.DOTALL
    )
    assert block, told
    return block[1] if on else ""


def test_crds_behind_a_switch_are_templates_that_the_switch_brings() -> None:
    template = files(switched())[f"templates/crd-{NAME}.yaml"]
    assert yaml.safe_load(rendered(template, on=True, kept=False)) == CRD
    assert not rendered(template, on=False, kept=False)


def test_a_chart_that_keeps_its_crds_itself_marks_them_as_its_values_say() -> None:
    template = files(switched(keep_switch="crds.keep"))[f"templates/crd-{NAME}.yaml"]
    own = CRD["metadata"]["annotations"]
    for kept, marks in ((True, {"helm.sh/resource-policy": "keep"}), (False, {})):
        found = yaml.safe_load(rendered(template, on=True, kept=kept))
        assert found["metadata"]["annotations"] == {**own, **marks}, "any value would keep it"


def test_crds_of_their_own_chart_are_plain_templates() -> None:
    made = files(CrdSet(CrdDelivery.OWN_CHART, (NAME,)))
    assert yaml.safe_load(made[f"templates/crd-{NAME}.yaml"]) == CRD
    assert not [path for path in made if path.startswith("crds/")]


def test_crds_of_a_bundled_chart_lie_in_it_and_ask_its_own_values() -> None:
    made = files(switched(subchart="inner"))
    template = made[f"charts/inner/templates/crd-{NAME}.yaml"]
    assert '{{- if dig "crds" "enabled" false .Values.AsMap }}' in template


@pytest.mark.parametrize(
    ("crd_set", "kept", "given_up"),
    [
        (switched(), {"crds": {"enabled": True}}, {"crds": {"enabled": True}}),
        (
            switched(keep_switch="crds.keep"),
            {"crds": {"enabled": True, "keep": True}},
            {"crds": {"enabled": True, "keep": False}},
        ),
        (
            switched(subchart="inner"),
            {"inner": {"crds": {"enabled": True}}},
            {"inner": {"crds": {"enabled": True}}},
        ),
        (CrdSet(CrdDelivery.OWN_CHART, (NAME,)), {}, {}),
    ],
)
def test_the_switches_of_crds_are_set_and_never_left_to_a_default(
    crd_set: CrdSet, kept: dict[str, Any], given_up: dict[str, Any]
) -> None:
    assert chart(crd_set).crd_values(keep=True) == kept
    assert chart(crd_set).crd_values(keep=False) == given_up


@pytest.mark.parametrize(
    ("crd_set", "ours"),
    [
        (CrdSet(CrdDelivery.TEMPLATES, (NAME,)), True),
        (switched(), True),
        (CrdSet(CrdDelivery.OWN_CHART, (NAME,)), True),
        (switched(keep_switch="crds.keep"), False),
        (CrdSet(CrdDelivery.CRDS_FOLDER, (NAME,)), False),
        (CrdSet(CrdDelivery.HOOK, (NAME,)), False),
    ],
)
def test_we_mark_crds_that_helm_would_delete_and_that_nobody_else_marks(
    crd_set: CrdSet, ours: object
) -> None:
    assert chart(crd_set).needs_keep_policy is ours


@pytest.mark.parametrize(
    ("delivery", "switch"),
    [(CrdDelivery.TEMPLATES_SWITCH, ""), (CrdDelivery.TEMPLATES, "crds.enabled")],
)
def test_a_switch_goes_with_crds_behind_a_switch_and_only_there(
    delivery: CrdDelivery, switch: str
) -> None:
    with pytest.raises(ValueError, match="a switch goes with templates-switch"):
        CrdSet(delivery, (NAME,), switch=switch)


def test_values_are_laid_over_values_key_by_key_and_lists_as_a_whole() -> None:
    below = {"crds": {"enabled": False, "x": 1}, "a": [1, 2], "b": {"c": 1}}
    above = {"crds": {"enabled": True}, "a": [3], "b": 2}
    assert merged_values(below, above) == {"crds": {"enabled": True, "x": 1}, "a": [3], "b": 2}
