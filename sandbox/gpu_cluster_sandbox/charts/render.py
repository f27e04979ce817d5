"""The files of one stand-in chart, as texts by their path inside it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, cast

import yaml

from gpu_cluster_sandbox.charts.catalogue import StandIn, Workload
from gpu_cluster_sandbox.charts.facts import ChartFacts, Dependency
from gpu_cluster_sandbox.charts.values_schema import schema_of
from gpu_cluster_sandbox.stages import operator_stages
from pulumi_gpu_cluster.catalog.charts import Chart, CrdDelivery, CrdSet

Json = dict[str, Any]

_TEMPLATES: Final = Path(__file__).with_name("templates")
# What an operator would make comes with its stand-in, which runs none.
_AS_FILES: Final = frozenset({CrdDelivery.CRDS_FOLDER, CrdDelivery.HOOK, CrdDelivery.OPERATOR})
# What templates ask for where the operator really runs.
_CONTROLLED: Final = "files/controlled.json"
_POLICY: Final = "helm.sh/resource-policy"
_CONVERSION: Final = (
    '"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], '
    '"clientConfig": {"service": {"path": "/convert", '
    '"namespace": {{ .Release.Namespace | quote }}, '
    '"name": {{ include "standin.fullname" . | printf "%s-webhook-service" | quote }}}}}}, '
)
_HOOK: Final = {
    "helm.sh/hook": "post-install,post-upgrade",
    "helm.sh/hook-delete-policy": "before-hook-creation",
}


def chart_files(
    chart: Chart,
    stand_in: StandIn,
    facts: ChartFacts,
    crds: Mapping[str, list[Json]],
    *,
    played: bool = True,
) -> dict[str, str]:
    """Everything in the chart's folder.

    Args:
        chart: The chart as the product's catalogue pins it.
        stand_in: What there is to know of it beside that.
        facts: What was harvested of it.
        crds: Its CRDs, by the bundled chart they belong to.
        played: Whether the stages come with it that play its operator.

    Raises:
        ValueError: The facts are of another version than the catalogue pins, or a CRD is in the
            one and not in the other.
    """
    if facts.version != chart.version:
        raise ValueError(
            f"the stand-in of chart {chart.name} was made for {facts.version}, but "
            f"{chart.version} is pinned; harvest it again"
        )
    files = {
        "Chart.yaml": _json(_about(chart.name, chart.version, facts)),
        "values.schema.json": _json(schema_of(facts.values)),
        "files/bundled.json": _json([dependency.key for dependency in facts.dependencies]),
        **_templates(chart.name),
        **(_stages(chart.name) if played else {_CONTROLLED: "{}\n"}),
        **_workloads(stand_in, ""),
        **_crds(chart, crds, "", () if played else stand_in.converted),
        **_projected(stand_in, crds[""]),
        **({"files/defaults.json": _json(facts.defaults)} if facts.defaults else {}),
    }
    for dependency in facts.dependencies:
        below = {
            "Chart.yaml": _json(_about(dependency.name, _one_version(dependency.version), None)),
            **_workloads(stand_in, dependency.key),
            **_crds(chart, crds, dependency.key),
        }
        for path, text in below.items():
            files[f"charts/{dependency.name}/{path}"] = text
    return files


def _one_version(version: str) -> str:
    """A version that a chart can have, where its parent asks for any of several."""
    return version.replace("*", "0")


def _about(name: str, version: str, facts: ChartFacts | None) -> Json:
    about: Json = {"apiVersion": "v2", "name": name, "version": version, "type": "application"}
    if facts is not None:
        about["appVersion"] = facts.app_version
        about["dependencies"] = [_dependency(entry) for entry in facts.dependencies]
    return about


def _dependency(dependency: Dependency) -> Json:
    about: Json = {"name": dependency.name, "version": dependency.version, "repository": ""}
    if dependency.condition:
        about["condition"] = dependency.condition
    if dependency.alias:
        about["alias"] = dependency.alias
    return about


def _templates(name: str) -> dict[str, str]:
    folders = (_TEMPLATES / "common", _TEMPLATES / name)
    return {
        f"templates/{path.name}": path.read_text("utf-8")
        for folder in folders
        if folder.is_dir()
        for path in folder.iterdir()
    }


def _stages(name: str) -> dict[str, str]:
    """The stages that play the operator, as hooks: they need the chart's CRDs to be served."""
    return {
        f"templates/stage-{stage['metadata']['name']}.yaml": _literal(
            _json({**stage, "metadata": {**stage["metadata"], "annotations": _HOOK}})
        )
        for stage in operator_stages(name)
    }


def _workloads(stand_in: StandIn, bundled: str) -> dict[str, str]:
    return {
        f"templates/workload-{number}.yaml": _workload(workload)
        for number, workload in enumerate(stand_in.workloads)
        if workload.bundled == bundled
    }


def _workload(workload: Workload) -> str:
    node_selector, tolerations = workload.keys
    root = ".Values.AsMap"
    placing = f"dig {_words(workload.placing)} (dict) {root}" if workload.placing else root
    return (
        f"{{{{- if dig {_words(workload.switch)} true .Values.AsMap }}}}\n"
        f"{{{{- $placing := {placing} }}}}\n"
        f'{{{{ include "standin.deployment" (dict "root" . "name" ({workload.name})'
        f' "nodeSelector" (get $placing "{node_selector}")'
        f' "tolerations" (get $placing "{tolerations}")'
        f' "account" "{workload.account}" "env" ({_env(workload)})) }}}}\n'
        "{{- end }}\n"
    )


def _env(workload: Workload) -> str:
    """The container's environment, as a Helm expression."""
    variables = " ".join(f'"{name}" ({value})' for name, value in workload.env)
    return f"dict {variables}".rstrip()


def _crds(
    chart: Chart,
    crds: Mapping[str, list[Json]],
    bundled: str,
    converted: Collection[str] = (),
) -> dict[str, str]:
    sets = {
        name: crd_set
        for crd_set in chart.crds
        if crd_set.subchart == bundled
        for name in crd_set.names
    }
    harvested = {crd["metadata"]["name"]: crd for crd in crds.get(bundled, ())}
    if sets.keys() != harvested.keys():
        odd = ", ".join(sorted(sets.keys() ^ harvested.keys()))
        raise ValueError(f"chart {chart.name}: catalogue and stand-in differ in the CRDs {odd}")
    files: dict[str, str] = {}
    for name, crd in harvested.items():
        if sets[name].delivery in _AS_FILES:
            files[f"crds/{name}.yaml"] = _crd(crd)
        else:
            text = _crd_template(crd, sets[name])
            if name.partition(".")[0] in converted:
                # The spec is one line of JSON, into which the conversion goes first.
                text = text.replace("spec: {", "spec: {" + _CONVERSION, 1)
            files[f"templates/crd-{name}.yaml"] = text
    return files


def _crd_template(crd: Json, crd_set: CrdSet) -> str:
    """A CRD among the templates, behind the switches that the real chart has.

    A switch that nobody set counts as off here, whatever the real default: whoever relies on a
    default is found out, and what we install always sets it.
    """
    text = _literal(_crd(crd))
    if crd_set.keep_switch:
        # The mark itself comes and goes: to Helm any value of it means to keep.
        annotations = {**crd["metadata"].get("annotations", {}), _POLICY: "keep"}
        text = _literal(_crd({**crd, "metadata": {**crd["metadata"], "annotations": annotations}}))
        mark = f"    {_POLICY}: keep\n"
        asked = f"dig {_words(crd_set.keep_switch)} false .Values.AsMap"
        text = text.replace(mark, f"{{{{- if {asked} }}}}\n{mark}{{{{- end }}}}\n")
    if crd_set.switch:
        asked = f"dig {_words(crd_set.switch)} false .Values.AsMap"
        text = f"{{{{- if {asked} }}}}\n{text}{{{{- end }}}}\n"
    return text


def _projected(stand_in: StandIn, crds: list[Json]) -> dict[str, str]:
    """For each CRD that templates fill from values: its fields, and which it cannot lack."""
    files: dict[str, str] = {}
    for crd in crds:
        name = crd["metadata"]["name"]
        if name not in stand_in.projected:
            continue
        version = next(version for version in crd["spec"]["versions"] if version["storage"])
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        fields = {"fields": _fields(spec), "required": spec.get("required", [])}
        files[f"files/{name}.json"] = _json(fields)
    return files


def _fields(schema: Json) -> Json | str:
    properties: Json = schema.get("properties", {})
    if properties:
        return {name: _fields(below) for name, below in properties.items()}
    return str(schema.get("type", "any"))


def _crd(crd: Json) -> str:
    """A CRD with its head in lines, as real charts have it, and its endless rest in one."""
    head = {key: value for key, value in crd.items() if key != "spec"}
    lines: str = cast("Any", yaml).safe_dump(head)
    return f"{lines}spec: {json.dumps(crd['spec'], separators=(',', ':'), sort_keys=True)}\n"


def _literal(text: str) -> str:
    """A template that comes out as this text, even where the text looks like a template."""
    return text.replace("{{", '{{ "{{" }}')


def _words(path: str) -> str:
    return " ".join(json.dumps(word) for word in path.split("."))


def _json(content: object) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"
